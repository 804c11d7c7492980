/** Floods at the doors that are open to anyone: what they cost the stores, and whom they keep out. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newLinkCode } from "../../src/domain/link.ts";
import { LookupBudget } from "../../src/domain/lookup-budget.ts";
import { type Binding, Injector } from "../faults/injector.ts";
import { Random } from "../random.ts";
import { OPERATOR_TOKEN, SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const ATTACKER = "198.51.100.7";

let world: World;
let client: TestClient;
let counted: Injector;
let random: Random;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  counted = new Injector();
  world.deps = counted.wrap(world.deps);
  random = new Random(1);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Calls of a binding while work is done. */
async function callsOf(binding: Binding, work: () => Promise<unknown>): Promise<number> {
  const before = counted.calls.length;
  await work();
  return counted.calls.slice(before).filter((called) => called === binding).length;
}

const from = (address: string) => ({ "cf-connecting-ip": address });
const hex = (length: number) => Array.from({ length }, () => random.between(0, 15).toString(16)).join("");
const randomBytes = (count: number) => Uint8Array.from({ length: count }, () => random.between(0, 255));
/** A code without the right check. */
const guessed = () => `${newLinkCode(randomBytes).slice(0, 9)}_`.replace("_", "0");
const checked = () => newLinkCode(randomBytes);
const follow = async (code: string, address = ATTACKER) =>
  (await world.fetch(`/l/${code}`, { headers: from(address) })).status;
const stranger = () => ({ ...client, clientId: hex(32), clientSecret: hex(64) });
const send = async (who: TestClient, address = ATTACKER) =>
  (await world.post("/text/message/send", who, { ...SEND, phone: ADA }, from(address))).status;

/** A thousand a second, a hundred at a time. @returns the statuses */
async function flood(seconds: number, attack: (request: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let hundred = 0; hundred < seconds * 10; hundred++) {
    statuses.push(...(await Promise.all(Array.from({ length: 100 }, (_, request) => attack(request)))));
    world.advance(0.1);
  }
  return statuses;
}

async function linkOf(messageId: string): Promise<string> {
  const [row] = await world.rows("SELECT code FROM links WHERE message_id = ?1", messageId);
  return String(row?.code);
}

describe("a flood of guesses at /l/*", () => {
  it.each([
    ["without the check", guessed],
    ["with the check", checked],
  ])("%s reaches D1 a bounded number of times a second", async (_, code) => {
    const first = await callsOf("D1", () => flood(1, () => follow(code())));
    expect(first).toBeLessThanOrEqual(100);
    const later = await callsOf("D1", async () => {
      const statuses = await flood(5, () => follow(code()));
      expect(new Set(statuses)).toEqual(new Set([404, 429]));
    });
    expect(later).toBeLessThanOrEqual(5 * 10);
  });

  it("from many addresses reaches it no more often", async () => {
    const attack = (request: number) => follow(guessed(), `2001:db8:${request}:1::${request}`);
    await flood(1, attack);
    expect(await callsOf("D1", () => flood(5, attack))).toBeLessThanOrEqual(5 * 10);
  });

  it("keeps nobody from a link of today", async () => {
    const code = await linkOf(await world.send(client, { phone: ADA, clickUrl: "https://shop.example.com/" }));
    await flood(1, () => follow(guessed(), ATTACKER));
    const statuses = await flood(1, (request) => (request % 50 === 0 ? follow(code, ATTACKER) : follow(guessed())));
    expect(statuses.filter((status) => status === 302)).toHaveLength(20);
  });

  it("from one address, checks and all, keeps nobody elsewhere from a link", async () => {
    const code = await linkOf(await world.send(client, { phone: ADA, clickUrl: "https://shop.example.com/" }));
    await flood(1, () => follow(checked()));
    const statuses = await flood(1, (request) =>
      request % 50 === 0 ? follow(code, "203.0.113.9") : follow(checked()),
    );
    expect(statuses.filter((status) => status === 302)).toHaveLength(20);
  });

  it("is answered with a page, and when to come again", async () => {
    await flood(1, () => follow(checked()));
    const answer = await world.fetch(`/l/${checked()}`, { headers: from(ATTACKER) });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await answer.text()).toContain("in a moment");
    world.advance(2);
    expect(await follow(checked())).toBe(404);
  });
});

it("a link that an earlier version made, without a check, leads on", async () => {
  await world.rows("INSERT INTO links (code, message_id, url) VALUES ('AAAAAAAAAA', 'm', 'https://shop.example.com/')");
  expect(await follow("AAAAAAAAAA")).toBe(302);
});

it("a thousand clicks at once on real links are all redirected", async () => {
  const code = await linkOf(await world.send(client, { phone: ADA, clickUrl: "https://shop.example.com/" }));
  const statuses = await flood(1, (request) => follow(code, `203.0.113.${request}`));
  expect(new Set(statuses)).toEqual(new Set([302]));
});

describe("a flood of unknown clients", () => {
  it("reaches KV a bounded number of times a second, and no other store", async () => {
    const first = await callsOf("KV", () => flood(1, () => send(stranger())));
    expect(first).toBeLessThanOrEqual(200);
    const before = counted.calls.length;
    const statuses = await flood(3, () => send(stranger()));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(counted.calls.slice(before).filter((called) => called === "KV").length).toBeLessThanOrEqual(3 * 50);
    expect(counted.calls.slice(before).filter((called) => called !== "KV")).toEqual([]);
  });

  it("of one pair, known or not, asks KV once in five seconds", async () => {
    for (const wrong of [stranger(), { ...client, clientSecret: hex(64) }]) {
      expect(await callsOf("KV", () => flood(4, () => send(wrong)))).toBeLessThanOrEqual(101);
      expect(await callsOf("KV", () => flood(1, () => send(wrong)))).toBeLessThanOrEqual(100);
      world.advance(60);
    }
  });

  it("keeps no client out that the isolate knows, also when it has to ask KV again", async () => {
    expect(await send(client, ATTACKER)).toBe(200);
    for (let half = 0; half < 2; half++) {
      await flood(1, () => send(stranger()));
      expect(await send(client, ATTACKER)).toBe(200);
      world.advance(31);
    }
  });

  it("keeps no client out that was made a moment ago, here or elsewhere", async () => {
    await flood(1, () => send(stranger()));
    const made = await world.client();
    expect(await send(made, ATTACKER)).toBe(200);
    const elsewhere = await World.another(world);
    const other = await elsewhere.client();
    expect(await send(other, "203.0.113.9")).toBe(200);
  });

  it("is told to come again, with a code of its own", async () => {
    await flood(1, () => send(stranger()));
    const answer = await world.post("/text/message/send", stranger(), {}, from(ATTACKER));
    expect([answer.status, answer.headers.get("retry-after"), answer.headers.get("ratelimit")]).toEqual([
      429,
      "1",
      null,
    ]);
    expect(await answer.json()).toMatchObject({ code: 42901 });
  });

  it("does not keep a secret out for more than five seconds that KV learns later", async () => {
    const later = { ...client, clientSecret: hex(64) };
    expect(await send(later)).toBe(401);
    const copy = await env.CREDENTIALS.get<Record<string, unknown>>(`client:${client.clientId}`, "json");
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(later.clientSecret));
    const secretHash = new Uint8Array(digest).toHex();
    await env.CREDENTIALS.put(
      `client:${client.clientId}`,
      JSON.stringify({ ...copy, secretHash, version: world.now + 1 }),
    );
    for (let second = 0; second < 4; second++) {
      world.advance(1);
      expect(await send(later)).toBe(401);
    }
    world.advance(1);
    expect(await send(later)).toBe(200);
  });
});

describe("a flood", () => {
  it("of wrong tokens reaches no store", async () => {
    const ask = async () =>
      (await world.fetch("/operator/websites", { headers: { authorization: `Bearer ${hex(64)}` } })).status;
    const before = counted.calls.length;
    expect(new Set(await flood(1, ask))).toEqual(new Set([401]));
    expect(counted.calls.slice(before)).toEqual([]);
    const right = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    expect((await world.fetch("/operator/websites", { headers: right })).status).toBe(200);
  });

  it("at /health reaches each store once in five seconds", async () => {
    const before = counted.calls.length;
    await flood(10, async () => (await world.fetch("/health")).status);
    const calls = Map.groupBy(counted.calls.slice(before), (called) => called);
    expect(Object.fromEntries([...calls].map(([binding, { length }]) => [binding, length]))).toEqual({
      D1: 2,
      KV: 2,
      limiter: 2,
    });
  });

  it("at paths that are not, and of methods that are not, reaches no store", async () => {
    const before = counted.calls.length;
    await flood(1, async (request) => (await world.fetch(`/wp-login.php?x=${request}`)).status);
    await flood(1, async () => (await world.fetch("/text/message/send")).status);
    expect(counted.calls.slice(before)).toEqual([]);
  });
});

describe("the budget of look-ups", () => {
  it("keeps no more addresses than it lets look up in a second", () => {
    const budget = new LookupBudget({ inFlood: 10, otherwise: 100 });
    const taken = Array.from({ length: 100_000 }, (_, n) => budget.take(`address ${n}`, 0)).filter(Boolean);
    expect(taken).toHaveLength(100);
    for (const lookup of taken) lookup?.found();
    expect(Array.from({ length: 100_000 }, (_, n) => budget.take(`other ${n}`, 1)).filter(Boolean)).toHaveLength(100);
  });

  it("does not give back in a later second what an earlier one took", () => {
    const budget = new LookupBudget({ inFlood: 10, otherwise: 100 });
    const early = Array.from({ length: 50 }, (_, n) => budget.take(`a${n}`, 0));
    for (let n = 0; n < 50; n++) budget.take(`b${n}`, 1500);
    for (const lookup of early) lookup?.found();
    expect(Array.from({ length: 100 }, (_, n) => budget.take(`c${n}`, 1600)).filter(Boolean)).toHaveLength(50);
  });
});
