/** Floods at the doors that are open to anyone: what they cost the stores and the log, and whom they keep out. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { makeCarriers } from "../../src/carriers/index.ts";
import { readConfig } from "../../src/config.ts";
import { hasCheck, newLinkCode } from "../../src/domain/messages/link.ts";
import { Guesses, type Limit } from "../../src/platform/guesses.ts";
import { telnyx } from "../carriers/telnyx.ts";
import { PUBLIC_ORIGIN } from "../carriers/test-carrier.ts";
import { twilio } from "../carriers/twilio.ts";
import { OPERATOR_TOKEN } from "../world.ts";
import {
  A_SECOND,
  ADA,
  AT_ONCE,
  ATTACKER,
  callsOf,
  changeElsewhere,
  client,
  counted,
  ELSEWHERE,
  flood,
  from,
  guessed,
  hex,
  manyAddresses,
  prepare,
  REQUESTS,
  randomBytes,
  SECONDS,
  STEP,
  send,
  stranger,
  VISITS,
  visits,
  world,
} from "./floods.ts";

prepare();

/** Lines of requests that the log has of a route: of those that stand for a hundred, and of single ones. */
function logOf(route: string | null): { sampled: number; single: number } {
  const lines = world.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
  const ofRoute = lines.filter((line) => line.route === route && line.event === "request");
  const sampled = ofRoute.filter((line) => line.sampled === 100).length;
  return { sampled, single: ofRoute.length - sampled };
}

/** One request in a hundred has a line, by chance. */
function expectSampled(route: string | null, requests: number, single = 0): void {
  const logged = logOf(route);
  expect(logged.single).toBe(single);
  expect(logged.sampled).toBeGreaterThan(requests / 300);
  expect(logged.sampled).toBeLessThan(requests / 33);
}

const checked = () => newLinkCode(0, randomBytes, world.deps.signLink);
const follow = async (code: string, address = ATTACKER) =>
  (await world.fetch(`/l/${code}`, { headers: from(address) })).status;
async function newLink(): Promise<string> {
  const messageId = await world.send(client, { phone: ADA, clickUrl: "https://shop.example.com/" });
  const [row] = await world.rows("SELECT code FROM links WHERE message_id = ?1", messageId);
  return String(row?.code);
}

/** As the service made them before its key was replaced. */
async function oldLink(): Promise<string> {
  await world.rows("INSERT INTO links (code, message_id, url) VALUES ('AAAAAAAAAA', 'm', 'https://shop.example.com/')");
  expect(hasCheck("AAAAAAAAAA", world.deps.signLink)).toBe(false);
  return "AAAAAAAAAA";
}

const LINK = "/l/:code";
const SEND_ROUTE = "/text/message/send";

describe("a flood of guesses at /l/*", () => {
  // A hundred, and what is under way when it is known that these were too many. Then only one of 62, which has the check.
  it.each([
    ["one address", () => ATTACKER, 200 + 50 + (SECONDS - 1) * 2],
    ["many addresses", manyAddresses, 200 + 100 + (SECONDS - 1) * 4],
  ])("from %s reach D1 some 200 times, and keep nobody from a link", async (_, addressOf, most) => {
    const code = await newLink();
    const { statuses, meanwhile } = visits(() => follow(code, ATTACKER));
    const clicks = await callsOf("D1", () => follow(code));
    const calls = await callsOf("D1", () => flood((request) => follow(guessed(), addressOf(request)), meanwhile));
    expect(calls - VISITS * clicks).toBeLessThanOrEqual(most);
    expect(calls - VISITS * clicks).toBeGreaterThan(100);
    expect(statuses).toEqual(new Array(VISITS).fill(302));
  });

  it("with the check reach D1 a bounded number of times, and from one address keep nobody elsewhere from a link", async () => {
    const code = await newLink();
    const { statuses, meanwhile } = visits(() => follow(code, ELSEWHERE));
    const clicks = await callsOf("D1", () => follow(code));
    const calls = await callsOf("D1", () => flood(() => follow(checked()), meanwhile));
    expect(calls - VISITS * clicks).toBeLessThanOrEqual(AT_ONCE + (SECONDS - 1) * 25);
    expect(statuses).toEqual(new Array(VISITS).fill(302));
  });

  it("from one address keep nobody elsewhere from a link of the time before the key was replaced", async () => {
    const code = await oldLink();
    const { statuses, meanwhile } = visits(() => follow(code, ELSEWHERE));
    await flood(() => follow(guessed()), meanwhile);
    expect(statuses).toEqual(new Array(VISITS).fill(302));
  });

  it("of one code reach D1 once in five seconds", async () => {
    const code = checked();
    expect(await callsOf("D1", () => flood(() => follow(code)))).toBeLessThanOrEqual(2 * AT_ONCE);
    world.advance(5);
    expect(await callsOf("D1", async () => expect(await follow(code)).toBe(404))).toBe(1);
    expect(await callsOf("D1", async () => expect(await follow(code)).toBe(404))).toBe(0);
  });

  it("are answered with a page, and with when to come again", async () => {
    for (let request = 0; request < 101; request++) await follow(checked());
    const answer = await world.fetch(`/l/${checked()}`, { headers: from(ATTACKER) });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await answer.text()).toContain("in a moment");
    world.advance(10);
    expect(await follow(checked())).toBe(404);
  });

  it("are a line in the log for one in a hundred", async () => {
    await flood(() => follow(guessed()));
    expectSampled(LINK, REQUESTS);
  });
});

it("a link of the time before the key was replaced leads on", async () => {
  expect(await follow(await oldLink())).toBe(302);
  const code = await newLink();
  world.deps.signLink = () => 0;
  expect(await follow(code)).toBe(302);
});

it.each([
  ["links", newLink],
  ["links of the time before the key was replaced", oldLink],
])("200 clicks in a second on %s are all redirected", async (_, make) => {
  const code = await make();
  const click = (request: number) => follow(code, manyAddresses(request));
  expect(await flood(click, undefined, 1, A_SECOND / 4)).toEqual(new Map([[302, 4 * AT_ONCE]]));
});

describe("a flood of unknown clients", () => {
  it("reach no other store, and are a line in the log for one in a hundred", async () => {
    const before = counted.calls.length;
    await flood(() => send(stranger()), undefined, SECONDS / 2);
    expect(counted.calls.slice(before).filter((called) => called !== "KV")).toEqual([]);
    expectSampled(SEND_ROUTE, REQUESTS / 2);
  });

  it("are told to come again, with a code of its own", async () => {
    for (let request = 0; request < 101; request++) await send(stranger());
    const answer = await world.post("/text/message/send", stranger(), {}, from(ATTACKER));
    const { headers } = answer;
    expect([answer.status, headers.get("retry-after"), headers.get("ratelimit")]).toEqual([429, "10", null]);
    expect(await answer.json()).toMatchObject({ code: 42903 });
  });
});

it("a secret that was refused is refused no longer than five seconds once KV has it", async () => {
  const later = { ...client, clientSecret: hex(64) };
  expect(await send(later)).toBe(401);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(later.clientSecret));
  await changeElsewhere({ secretHash: new Uint8Array(digest).toHex() });
  world.advance(4.9);
  expect(await send(later)).toBe(401);
  world.advance(0.1);
  expect(await send(later)).toBe(200);
});

describe("a flood of requests", () => {
  it("with wrong tokens reach no store, and the operator is answered", async () => {
    const ask = async (token: string) =>
      (await world.fetch("/operator/dead-jobs", { headers: { authorization: `Bearer ${token}` } })).status;
    const { statuses, meanwhile } = visits(() => ask(OPERATOR_TOKEN));
    const calls = await callsOf(undefined, () => flood(() => ask(hex(64)), meanwhile));
    expect(calls).toBe(VISITS);
    expect(statuses).toEqual(new Array(VISITS).fill(200));
    expectSampled("/operator/dead-jobs", REQUESTS, VISITS);
  });

  it.each([
    ["twilio", { "x-twilio-signature": "AAAA" }],
    ["telnyx", { "telnyx-signature-ed25519": "AAAA", "telnyx-timestamp": "1795262400" }],
  ])("that are not of %s reach no store", async (carrier, headers) => {
    const carriers = readConfig({ PUBLIC_ORIGIN, ...twilio.settings, ...telnyx.settings }).carriers;
    const config = { ...world.deps.config, carriers };
    world.deps = { ...world.deps, config, carriers: makeCarriers(config) };
    const attack = async (request: number) => {
      const path = `/carriers/${carrier}/${request % 2 === 0 ? "receipts" : "inbound"}`;
      return (await world.fetch(path, { method: "POST", headers, body: hex(8) })).status;
    };
    expect(await callsOf(undefined, async () => expect([...(await flood(attack)).keys()]).toEqual([403]))).toBe(0);
    expectSampled("/carriers/:carrier/receipts", REQUESTS / 2);
  });

  it("at /health reach each store once in five seconds", async () => {
    // The check takes real time, and so do the pauses of those that wait for it.
    vi.mocked(scheduler.wait).mockRestore();
    const calls = await callsOf(undefined, () => flood(async () => (await world.fetch("/health")).status));
    expect(calls).toBe(2 * 3);
    expectSampled("/health", REQUESTS);
  });

  it("of paths and methods that are not reach no store", async () => {
    const attack = async (request: number) =>
      (await world.fetch(request % 2 === 0 ? `/wp-login.php?x=${request}` : "/text/message/send")).status;
    expect(await callsOf(undefined, () => flood(attack))).toBe(0);
    expectSampled(null, REQUESTS);
  });
});

describe("the limit of guesses", () => {
  /** Guesses at once. @returns how many had each status */
  const guess = (count: number) =>
    flood(() => follow(checked()), undefined, (count / AT_ONCE) * (STEP / A_SECOND), STEP);
  const limitedBy = (limit: Limit | undefined) => {
    world.deps = { ...world.deps, guesses: { ...world.deps.guesses, links: new Guesses("link", limit) } };
  };

  it("is that of the binding in wrangler.toml", async () => {
    limitedBy(env.GUESSES);
    // Its period goes by the clock of the machine, and may end in between.
    expect(await guess(500)).toEqual(
      new Map([
        [404, expect.any(Number)],
        [429, expect.any(Number)],
      ]),
    );
    expect(await follow(checked(), ELSEWHERE)).toBe(404);
  });

  it("is none where the binding was removed", async () => {
    limitedBy(undefined);
    expect(await guess(500)).toEqual(new Map([[404, 500]]));
  });

  it("is none while the binding fails, which the log has", async () => {
    limitedBy({ limit: () => Promise.reject(new Error("no limit")) });
    expect(await guess(500)).toEqual(new Map([[404, 500]]));
    expect(world.logs.join()).toContain('"event":"guess.not-counted","error":"Error: no limit"');
  });

  it("is a bounded memory: the latest thousand are known", async () => {
    const guesses = new Guesses("link", { limit: async () => ({ success: false }) });
    for (let n = 0; n < 1500; n++) await guesses.missed(`code ${n}`, `address ${n}`, 0);
    const judged = Array.from({ length: 1500 }, (_, n) => guesses.judge(`code ${n}`, "another", 0));
    expect(judged.filter((it) => it === "missing")).toHaveLength(1000);
    expect(guesses.judge("another", "address 0", 0)).toBeUndefined();
    expect(guesses.judge("another", "address 1499", 0)).toBe("refused");
  });
});
