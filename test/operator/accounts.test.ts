import { beforeEach, describe, expect, it } from "vitest";
import { overtakenDatabase } from "../failing-database.ts";
import { World } from "../world.ts";

const SID = "AC0123456789abcdef0123456789abcdef";
const TWILIO = { carrier: "twilio", accountSid: SID, authToken: "the-token-of-brand" };
const TELNYX = { carrier: "telnyx", apiKey: "the-key-of-brand", publicKey: btoa("k".repeat(32)) };
const KANNEL = {
  ...{ carrier: "kannel", sendsmsUrl: "https://gateway.example.com/cgi-bin/sendsms", username: "brand" },
  ...{ password: "the-password", webhookKey: "the-webhook-key" },
};

let world: World;

beforeEach(async () => {
  world = await World.create();
  const { config } = world.deps;
  const carriers = { ...config.carriers, PUBLIC_ORIGIN: "https://sms.example.com" };
  world.deps = { ...world.deps, config: { ...config, carriers } };
});

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await world.operator(method, path, body);
  return { status: answer.status, body: await answer.json<Record<string, unknown>>() };
};
const put = (name: string, account: unknown) => call("PUT", `/accounts/${name}`, account);

describe("an account", () => {
  it.each([
    [TWILIO, { accountSid: SID }, ["authToken"]],
    [TELNYX, { publicKey: TELNYX.publicKey }, ["apiKey"]],
    [KANNEL, { sendsmsUrl: KANNEL.sendsmsUrl, username: "brand" }, ["password", "webhookKey"]],
  ])("is set up, read and listed without its secrets: %o", async (account, settings, secrets) => {
    const made = await put("brand-a", account);
    const base = `https://sms.example.com/carriers/${account.carrier}/brand-a`;
    const at = new Date(world.now).toISOString();
    const shown = {
      ...{ name: "brand-a", carrier: account.carrier, settings, secrets, isReadable: true, websiteIds: [] },
      ...{ webhooks: { receipts: `${base}/receipts`, inbound: `${base}/inbound` }, createdAt: at, updatedAt: at },
    };
    expect(made).toEqual({ status: 200, body: shown });
    expect(await call("GET", "/accounts/brand-a")).toEqual(made);
    expect((await call("GET", "/accounts")).body).toEqual({ accounts: [shown] });
    const stored = JSON.stringify([
      await world.rows("SELECT * FROM accounts"),
      await world.rows("SELECT * FROM audit_log"),
    ]);
    for (const [name, value] of Object.entries(account)) {
      if (secrets.includes(name))
        expect([name, stored.includes(value), JSON.stringify(made).includes(value)]).toEqual([name, false, false]);
    }
  });

  it("is replaced whole, and stays with its carrier", async () => {
    await put("brand-a", { ...TWILIO, previousAuthToken: "the one before", apiUrl: "https://api.example.com/" });
    expect((await put("brand-a", TWILIO)).body).toMatchObject({
      settings: { accountSid: SID },
      secrets: ["authToken"],
    });
    const refused = await put("brand-a", TELNYX);
    expect(refused).toMatchObject({ status: 400, body: { code: 40001, details: [{ field: "carrier" }] } });
  });

  /** @param act another call, which comes right before the statement that matches */
  const putOvertaken = async (matches: RegExp, act: () => Promise<unknown>) => {
    const { deps } = world;
    const overtake = () => {
      world.deps = deps;
      return act();
    };
    world.deps = { ...deps, db: overtakenDatabase(deps.db, matches, 1, overtake) };
    return put("brand-a", TWILIO);
  };

  it("is answered as it was set up, although another call removes it at the same time", async () => {
    const made = await putOvertaken(/CROSS JOIN websites/, () => call("DELETE", "/accounts/brand-a"));
    expect(made).toMatchObject({ status: 200, body: { name: "brand-a", secrets: ["authToken"], websiteIds: [] } });
    expect((await call("GET", "/accounts/brand-a")).status).toBe(404);
  });

  it("stays with the carrier that another call gives it at the same time", async () => {
    const refused = await putOvertaken(/INSERT INTO accounts/, () => put("brand-a", TELNYX));
    expect(refused).toMatchObject({ status: 400, body: { code: 40001, details: [{ field: "carrier" }] } });
    expect((await call("GET", "/accounts/brand-a")).body).toMatchObject({ carrier: "telnyx" });
    expect(await world.rows("SELECT action FROM audit_log")).toEqual([{ action: "put-account" }]);
  });

  it("says that its secrets are encrypted with another key", async () => {
    await put("brand-a", TWILIO);
    world.deps = { ...world.deps, config: { ...world.deps.config, serviceKey: "another" } };
    expect((await call("GET", "/accounts/brand-a")).body).toMatchObject({ isReadable: false, secrets: [] });
    await put("brand-a", TWILIO);
    expect((await call("GET", "/accounts/brand-a")).body).toMatchObject({ isReadable: true });
  });

  it.each<[what: string, name: string, account: object, field: string]>([
    ["the name of a carrier", "twilio", TWILIO, "name"],
    ["the sandbox's", "sandbox", TWILIO, "name"],
    ["a name in other characters", "Brand_A", TWILIO, "name"],
    ["no carrier", "a", {}, "carrier"],
    ["an unknown carrier", "a", { carrier: "sandbox" }, "carrier"],
    ["a missing token", "a", { ...TWILIO, authToken: "" }, "authToken"],
    ["a field of another carrier", "a", { ...TWILIO, apiKey: "k" }, "apiKey"],
    ["a public key that is none", "a", { ...TELNYX, publicKey: "short" }, "publicKey"],
    ["a URL with an address", "a", { ...KANNEL, sendsmsUrl: "http://203.0.113.9/" }, "sendsmsUrl"],
    ["a key that Kannel would corrupt", "a", { ...KANNEL, webhookKey: "a b" }, "webhookKey"],
    ["a number in place of a secret", "a", { ...TWILIO, authToken: 5 }, "authToken"],
  ])("is refused with %s", async (_, name, account, field) => {
    const { status, body } = await put(name, account);
    expect([status, body.code]).toEqual([400, 40001]);
    expect((body.details as { field: string }[]).map((it) => it.field)).toContain(field);
    expect(await world.rows("SELECT name FROM accounts")).toEqual([]);
  });
});

describe("a website", () => {
  it("takes an account as its carrier, with a sender of that carrier, at once", async () => {
    await put("brand-a", TWILIO);
    const path = "/websites/brand";
    const bad = await call("PUT", path, { name: "Brand", carrier: "brand-a", sender: "Brand" });
    expect(bad).toMatchObject({ status: 400, body: { details: [{ field: "sender" }] } });
    expect(await call("PUT", path, { name: "Brand", carrier: "nobody" })).toMatchObject({ status: 400 });
    const good = await call("PUT", path, { name: "Brand", carrier: "brand-a", sender: "+12125550000" });
    expect(good).toMatchObject({ status: 200, body: { carrier: "brand-a" } });
    expect((await call("GET", "/accounts/brand-a")).body).toMatchObject({ websiteIds: ["brand"] });
    const { carriers } = (await call("GET", "/health")).body as { carriers: { carrier: string }[] };
    expect(carriers).toContainEqual(expect.objectContaining({ carrier: "brand-a", isInUse: true, isSetUp: true }));
  });

  it("has senders with a pace at its account", async () => {
    await put("brand-a", TWILIO);
    const pace = (carrier: string) =>
      call("PUT", `/senders/${carrier}/${encodeURIComponent("+12125550000")}`, { messagesPerMinute: 60 });
    expect(await pace("brand-a")).toMatchObject({ status: 200, body: { carrier: "brand-a", messagesPerMinute: 60 } });
    expect((await pace("brand-b")).status).toBe(404);
  });

  it("keeps its account from being removed", async () => {
    await put("brand-a", TWILIO);
    await call("PUT", "/websites/brand", { name: "Brand", carrier: "brand-a", sender: "+12125550000" });
    const refused = await call("DELETE", "/accounts/brand-a");
    expect(refused).toMatchObject({ status: 400, body: { details: [{ message: expect.stringContaining("brand") }] } });
    const fallback = { carrier: "brand-a", sender: "+12125550001" };
    await call("PUT", "/websites/brand", { carrier: "sandbox", fallback });
    expect((await call("GET", "/accounts/brand-a")).body).toMatchObject({ websiteIds: ["brand"] });
    expect((await call("DELETE", "/accounts/brand-a")).status).toBe(400);
    await call("PUT", "/websites/brand", { fallback: null });
    expect(await call("DELETE", "/accounts/brand-a")).toEqual({ status: 200, body: { name: "brand-a" } });
    expect((await call("GET", "/accounts")).body).toEqual({ accounts: [] });
    expect((await call("DELETE", "/accounts/brand-a")).status).toBe(404);
    expect((await call("GET", "/accounts/brand-a")).status).toBe(404);
  });
});
