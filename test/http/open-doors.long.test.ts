import { describe, expect, it } from "vitest";
import { REQUESTS_PER_SECOND } from "../../src/domain/clients/sliding-window.ts";
import { type TestClient, World } from "../world.ts";
import {
  AT_ONCE,
  ATTACKER,
  callsOf,
  changeElsewhere,
  client,
  ELSEWHERE,
  flood,
  hex,
  manyAddresses,
  prepare,
  REQUESTS,
  SECONDS,
  send,
  stranger,
  VISITS,
  visits,
  world,
} from "./floods.ts";

prepare();

describe("a flood of unknown clients", () => {
  // KV bears any number of look-ups: where they come from many addresses, no limit keeps them from it.
  it.each([
    ["one address reach KV a bounded number of times", () => ATTACKER, AT_ONCE + (SECONDS - 1) * 25, [401, 429]],
    ["many addresses are all looked up", manyAddresses, REQUESTS, [401]],
  ])("from %s, and keep out no client that the isolate knows", async (_, addressOf, most, statusesOfFlood) => {
    // It is asked for again after 30 seconds, which end in the flood.
    expect(await send(client)).toBe(200);
    world.advance(25);
    const { statuses, meanwhile } = visits(() => send(client));
    let answered = new Map<number, number>();
    const calls = await callsOf("KV", async () => {
      answered = await flood((request) => send(stranger(), addressOf(request)), meanwhile);
    });
    expect(calls).toBeLessThanOrEqual(most + 1);
    expect([...answered.keys()]).toEqual(statusesOfFlood);
    expect(statuses).toEqual(new Array(VISITS).fill(200));
  });

  it("from one address keep no client out that the isolate does not know yet", async () => {
    const elsewhere = await World.another(world);
    const others: TestClient[] = [];
    for (let n = 0; n < VISITS; n++) others.push(await elsewhere.client());
    const { statuses, meanwhile } = visits(() => send(others.pop() ?? client, ELSEWHERE));
    await flood(() => send(stranger()), meanwhile);
    expect([others, statuses]).toEqual([[], new Array(VISITS).fill(200)]);
  });

  it("are not what a client makes that begins with all requests of its limit at once", async () => {
    const { statuses, meanwhile } = visits(() => send(client, ELSEWHERE));
    await Promise.all(Array.from({ length: REQUESTS_PER_SECOND }, meanwhile));
    expect(statuses).toEqual(new Array(REQUESTS_PER_SECOND).fill(200));
  });

  it("of one pair, known or not, reach KV once in five seconds", async () => {
    for (const wrong of [stranger(), { ...client, clientSecret: hex(64) }]) {
      await send(wrong);
      expect(await callsOf("KV", () => flood(() => send(wrong)))).toBeLessThanOrEqual(2 * AT_ONCE);
      world.advance(60);
    }
  });

  it("with a secret that was right until it was replaced elsewhere reach KV a bounded number of times", async () => {
    expect(await send(client)).toBe(200);
    await changeElsewhere({ secretHash: "0".repeat(64) });
    world.advance(31);
    expect(await callsOf("KV", () => flood(() => send(client)))).toBeLessThanOrEqual(3 * AT_ONCE);
  });
});

describe("a flood of requests", () => {
  it("with guessed tokens of a name reach no store; those of one that has ended reach D1 once in five seconds", async () => {
    const ask = async (token: string) =>
      (await world.fetch("/operator/audit", { headers: { authorization: `Bearer ${token}` } })).status;
    const made = await world.operator("POST", "/tokens", { name: "ada" });
    const { token } = (await made.json()) as { token: string };
    const { statuses, meanwhile } = visits(() => ask(token));
    const own = await callsOf("D1", () => ask(token));
    const calls = await callsOf(undefined, () => flood(() => ask(`op_${hex(64)}`), meanwhile));
    expect(calls).toBe(own * VISITS);
    expect(statuses).toEqual(new Array(VISITS).fill(200));
    await world.operator("DELETE", "/tokens/ada");
    expect(await callsOf("D1", () => flood(() => ask(token)))).toBeLessThanOrEqual(2 * AT_ONCE);
  });
});
