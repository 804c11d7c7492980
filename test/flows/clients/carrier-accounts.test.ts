/** Named accounts: each submits with its own credentials, and its webhooks change nothing of another account's. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { countingDatabase } from "../../counting-database.ts";
import { World } from "../../world.ts";
import { AccountStage, ADA, kannelAccount, keyOf, NAMES, SENDERS, tokenOf, twilioAccount } from "./account-stage.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const [A, B] = NAMES as [string, string];
const SENDER_B = SENDERS[B] as string;

describe("a text of a website with an account", () => {
  it("is submitted with the account's own credentials, and its receipts come to the account", async () => {
    const it = await AccountStage.create();
    for (const name of NAMES) await it.send(name);
    const seen = it.sent.map(({ url, headers, body }) => [
      ...[url, atob((headers.get("authorization") ?? "").slice("Basic ".length))],
      new URLSearchParams(body).get("StatusCallback")?.replace(/\?.*/, ""),
    ]);
    const wanted = NAMES.map((name) => {
      const sid = twilioAccount(name).accountSid;
      return [
        ...[`https://api.twilio.com/2010-04-01/Accounts/${sid}/Messages.json`, `${sid}:${tokenOf(name)}`],
        `https://sms.example.com/carriers/twilio/${name}/receipts`,
      ];
    });
    expect(seen).toEqual(wanted);
  });

  it("waits while the account is not there, and goes once it is", async () => {
    const it = await AccountStage.create();
    await it.world.rows("DELETE FROM accounts");
    it.world.advance(120);
    const id = await it.send(A);
    expect([await it.status(id), it.sent.length]).toEqual(["PENDING_TO_SEND", 0]);
    await it.put(A, twilioAccount(A));
    await it.world.pass(10);
    expect(await it.status(id)).toBe("SENDING");
  });

  it("waits for an account whose credentials are wrong, and holds up no other account at the carrier", async () => {
    const it = await AccountStage.create();
    it.answer = () => Response.json({ code: 20003, message: "Authenticate" }, { status: 401 });
    for (let text = 0; text < 3; text++) await it.send(A);
    it.answer = () => Response.json({ sid: "SM1" }, { status: 201 });
    const id = await it.send(B);
    expect(await it.status(id)).toBe("SENDING");
    expect(await it.world.rows("SELECT carrier, about FROM carrier_pauses")).toEqual([
      { carrier: A, about: "account" },
    ]);
  });
});

describe("whoever has the key of account A", () => {
  it.each([`${A}/`, `${B}/`, ""])("at Twilio, reports nothing of account B's texts, by /%s", async (at) => {
    const it = await AccountStage.create();
    it.configure({ TWILIO_ACCOUNT_SID: "AC0", TWILIO_AUTH_TOKEN: "token of the environment" });
    const id = await it.send(B);
    expect(await it.twilioReceipt(at, id, tokenOf(A))).toBe(at === `${A}/` ? 200 : 403);
    expect(await it.status(id)).toBe("SENDING");
    const optsOut = { MessageStatus: "failed", ErrorCode: "21610" };
    await it.twilioReceipt(at, id, tokenOf(A), optsOut);
    expect([await it.status(id), await it.isSubscribed(B)]).toEqual(["SENDING", true]);
    expect(await it.twilioReceipt(`${B}/`, id, tokenOf(B))).toBe(200);
    expect(await it.status(id)).toBe("DELIVERED");
  });

  it.each([`${A}/`, `${B}/`, ""])("at Twilio, opts nobody out of account B's websites, by /%s", async (at) => {
    const it = await AccountStage.create();
    it.configure({ TWILIO_ACCOUNT_SID: "AC0", TWILIO_AUTH_TOKEN: "token of the environment" });
    await it.send(B);
    expect(await it.twilioText(at, SENDER_B, tokenOf(A))).toBe(at === `${A}/` ? 200 : 403);
    expect(await it.twilioText(at, "+12125559999", tokenOf(A))).toBe(at === `${A}/` ? 200 : 403);
    expect(await it.isSubscribed(B)).toBe(true);
    expect(await it.twilioText(`${B}/`, SENDER_B, tokenOf(B))).toBe(200);
    expect(await it.isSubscribed(B)).toBe(false);
  });

  it.each([`${A}/`, `${B}/`])("at Kannel, neither reports nor opts out, by /%s", async (at) => {
    const it = await AccountStage.create(kannelAccount);
    it.answer = () => new Response("0: Accepted for delivery", { status: 202 });
    const id = await it.send(B);
    expect(await it.status(id)).toBe("SENDING");
    const status = at === `${A}/` ? 200 : 403;
    expect(await it.kannelReceipt(at, id, keyOf(A))).toBe(status);
    expect(await it.kannelText(at, SENDER_B, keyOf(A))).toBe(status);
    expect([await it.status(id), await it.isSubscribed(B)]).toEqual(["SENDING", true]);
    expect(await it.kannelReceipt(`${B}/`, id, keyOf(B))).toBe(200);
    expect(await it.kannelText(`${B}/`, SENDER_B, keyOf(B))).toBe(200);
    expect([await it.status(id), await it.isSubscribed(B)]).toEqual(["DELIVERED", false]);
  });

  it("does so neither under another carrier's name, nor with the key of the environment", async () => {
    const it = await AccountStage.create();
    it.configure({ TWILIO_ACCOUNT_SID: "AC0", TWILIO_AUTH_TOKEN: "token of the environment" });
    const id = await it.send(A);
    expect(await it.twilioReceipt(`${A}/`, id, "token of the environment")).toBe(403);
    expect(await it.twilioReceipt("", id, "token of the environment")).toBe(200);
    const { status } = await it.world.fetch(`/carriers/kannel/${A}/receipts?m=${id}&k=x&type=1`);
    const none = await it.world.fetch("/carriers/twilio/nobody/receipts", { method: "POST", body: "x" });
    expect([status, none.status, await it.status(id)]).toEqual([404, 404, "SENDING"]);
  });
});

describe("an isolate that has read no accounts yet", () => {
  it("knows them in each of the calls that come at once", async () => {
    const { world } = await AccountStage.create();
    Object.assign(world.deps.accounts, { readAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY });
    const call = () => world.fetch(`/carriers/twilio/${A}/inbound`, { method: "POST", body: "From=1" });
    const answers = await Promise.all(Array.from({ length: 6 }, call));
    expect(answers.map(({ status }) => status)).toEqual(new Array(6).fill(403));
  });
});

describe("calls of accounts that nobody has", () => {
  it("read the accounts once in two seconds, and not for what is no carrier", async () => {
    const { world } = await AccountStage.create();
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const call = (path: string) => world.fetch(`/carriers/${path}/inbound`, { method: "POST", body: "From=1" });
    expect((await call(`twilio/${A}`)).status).toBe(403);
    take();
    world.advance(61);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => call(`twilio/nobody-${index}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    expect(take().calls).toBe(1);
    await call("nothing/nobody");
    expect(take().calls).toBe(0);
  });
});

describe("a secret that is replaced", () => {
  it("at Twilio: both tokens verify, and texts go with the new one, without a restart", async () => {
    const it = await AccountStage.create();
    const isolate = await World.another(it.world);
    isolate.deps = { ...isolate.deps, config: it.world.deps.config, carriers: it.world.deps.carriers };
    const [first, second, third] = [await it.send(A), await it.send(A), await it.send(A)];
    it.world = isolate;
    expect(await it.twilioReceipt(`${A}/`, first, tokenOf(A))).toBe(200);
    // Another isolate stores the change, just now.
    const world = await World.another(isolate);
    world.now += 3000;
    isolate.now += 3000;
    const account = twilioAccount(A, { authToken: "the new token", previousAuthToken: tokenOf(A) });
    expect((await world.operator("PUT", `/accounts/${A}`, account)).status).toBe(200);
    expect(await it.twilioReceipt(`${A}/`, second, "the new token")).toBe(200);
    expect(await it.twilioReceipt(`${A}/`, third, tokenOf(A))).toBe(200);
    expect([await it.status(second), await it.status(third)]).toEqual(["DELIVERED", "DELIVERED"]);
    it.sent.length = 0;
    await it.send(A);
    expect(atob((it.sent[0]?.headers.get("authorization") ?? "").slice(6))).toContain("the new token");
    await it.put(A, twilioAccount(A, { authToken: "the new token" }));
    expect(await it.twilioReceipt(`${A}/`, second, tokenOf(A))).toBe(403);
  });

  it("at Kannel: receipts and texts with either key count", async () => {
    const it = await AccountStage.create(kannelAccount);
    it.answer = () => new Response("0: Accepted for delivery", { status: 202 });
    const id = await it.send(A);
    await it.put(A, kannelAccount(A, { webhookKey: "new-key", previousWebhookKey: keyOf(A) }));
    expect(await it.kannelReceipt(`${A}/`, id, keyOf(A))).toBe(200);
    expect(await it.status(id)).toBe("DELIVERED");
    expect(await it.kannelText(`${A}/`, SENDERS[A] as string, keyOf(A))).toBe(200);
    expect(await it.isSubscribed(A)).toBe(false);
    expect(await it.kannelReceipt(`${A}/`, await it.send(B), "new-key")).toBe(200);
    await it.put(A, kannelAccount(A, { webhookKey: "new-key" }));
    expect(await it.kannelText(`${A}/`, SENDERS[A] as string, keyOf(A))).toBe(403);
  });

  it("of the environment's Kannel: KANNEL_PREVIOUS_WEBHOOK_KEY counts as well", async () => {
    const it = await AccountStage.create(kannelAccount);
    const settings = {
      ...{ KANNEL_SENDSMS_URL: "https://gateway.example.com/cgi-bin/sendsms", KANNEL_USERNAME: "u" },
      ...{ KANNEL_PASSWORD: "p", KANNEL_WEBHOOK_KEY: "new-key" },
    };
    it.configure(settings);
    const id = crypto.randomUUID();
    expect(await it.kannelReceipt("", id, "old-key")).toBe(403);
    it.configure({ ...settings, KANNEL_PREVIOUS_WEBHOOK_KEY: "old-key" });
    for (const key of ["old-key", "new-key"]) {
      expect(await it.kannelReceipt("", id, key)).toBe(200);
      expect(await it.kannelText("", ADA, key)).toBe(200);
    }
    expect(await it.kannelText("", ADA, "")).toBe(403);
  });
});

describe("Twilio's Webhooks Rule", () => {
  const RULE = { "x-twilio-webhooks-signature-settings": "key=KY1,algorithm=HMAC_SHA256" };
  const path = `/carriers/twilio/${A}/inbound`;
  const fields = { MessageSid: "SM9", From: ADA, To: SENDERS[A] as string, Body: "STOP" };

  it.each<[what: string, key: string | undefined, signs: string, hash: string, status: number]>([
    ["its key", "rule", "rule", "SHA-256", 200],
    ["another key", "rule", "other", "SHA-256", 403],
    ["the token, though a rule signs", "rule", tokenOf(A), "SHA-256", 403],
    ["its key, with the older hash", "rule", "rule", "SHA-1", 403],
    ["the token, without a key for rules", undefined, tokenOf(A), "SHA-256", 403],
    ["nothing, without a key for rules", undefined, "undefined", "SHA-256", 403],
  ])("signs with %s", async (_, key, signs, hash, status) => {
    const it = await AccountStage.create();
    await it.put(A, twilioAccount(A, key === undefined ? {} : { webhookSigningKey: key }));
    expect(await it.twilio(path, fields, signs, RULE, hash)).toBe(status);
    expect(await it.isSubscribed(A)).toBe(status !== 200);
  });

  it("leaves what no rule signs to the token", async () => {
    const it = await AccountStage.create();
    await it.put(A, twilioAccount(A, { webhookSigningKey: "rule" }));
    expect(await it.twilio(path, fields, "rule", {}, "SHA-256")).toBe(403);
    expect(await it.twilio(path, fields, "rule")).toBe(403);
    expect(await it.twilio(path, fields, tokenOf(A))).toBe(200);
  });
});
