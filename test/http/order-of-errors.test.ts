/** A request that breaks several rules gets the code that `/docs` has first: "Checks run in the order of the codes here". */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { description } from "../../src/openapi/about.ts";
import { RateGate, type RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";
import { type TestClient, World } from "../world.ts";

const PATH = "/text/message/statuses";
const ATTACKER = { "cf-connecting-ip": "198.51.100.7" };
const TOO_LARGE = 512 * 1024 + 1;

const ORDER = [...description().matchAll(/^### (\d{5})$/gm)].map(([, code]) => Number(code));

/** What is checked of every call with a body. Two of them cannot meet in one request: an unknown path has no method. */
const FAULTS = [40400, 40500, 40100, 42903, 40101, 40300, 40301, 42900, 41500, 41501, 41300, 40000, 40001] as const;

const PAIRS = FAULTS.flatMap((one, place) => FAULTS.slice(place + 1).map((other) => [one, other] as const)).filter(
  (pair) => !["40400,40500", "40000,40001"].includes(pair.join()),
);

let first: World;
let world: World;
let clients: Record<string, TestClient>;

beforeAll(async () => {
  first = await World.create();
  clients = {
    "": await first.brand(["+12125550100"]),
    "40300": await first.client("brand", { suspended: true }),
    "40301": await first.client("brand", { operations: ["send"] }),
    "40300,40301": await first.client("brand", { suspended: true, operations: ["send"] }),
  };
});

/** No test changes the stores: each has an isolate of its own, a second later. */
beforeEach(async () => {
  first.advance(1);
  world = await World.another(first);
});

/** Too many from one address: the pairs of all are unknown. */
async function guess(times: number): Promise<void> {
  const ids = Array.from({ length: times }, (_, request) => request.toString(16).padStart(32, "0"));
  const client = clients[""] as TestClient;
  await Promise.all(ids.map((clientId) => world.post(PATH, { ...client, clientId }, {}, ATTACKER)));
}

function exceedTheLimit(): void {
  const admit = () => Promise.reject(Object.assign(new Error("overloaded"), { overloaded: true }));
  const limiter = { getByName: () => ({ admit, send: admit }) } as unknown as RateLimiterNamespace;
  world.deps = { ...world.deps, limiter: new RateGate(limiter) };
}

async function ask(faults: readonly number[]): Promise<number> {
  const has = (fault: number) => faults.includes(fault);
  if (has(42903)) await guess(101);
  if (has(42900)) exceedTheLimit();
  const grants = [40300, 40301].filter(has).join();
  const { clientId, clientSecret } = clients[grants] as TestClient;
  const secret = has(40101) || has(42903) ? "0".repeat(64) : clientSecret;
  const body = (has(40000) ? "nope" : '{"messageIds": 5}').padEnd(has(41300) ? TOO_LARGE : 0);
  const answer = await world.fetch(has(40400) ? "/text/nothing" : PATH, {
    method: has(40500) ? "PUT" : "POST",
    headers: {
      ...(has(40100) ? {} : { "x-client-id": clientId }),
      ...(has(42903) ? ATTACKER : {}),
      ...(has(41501) ? { "content-encoding": "gzip" } : {}),
      "x-client-secret": secret,
      "content-type": has(41500) ? "text/plain" : "application/json",
    },
    body,
  });
  return ((await answer.json()) as { code: number }).code;
}

describe("the order of the page", () => {
  it.each(PAIRS)("%i and %i", async (one, other) => {
    const first = ORDER.find((code) => code === one || code === other);
    expect(await ask([one, other])).toBe(first);
  });

  it("has each code once", () => {
    expect(ORDER).toEqual([...new Set(ORDER)]);
    expect(ORDER).toEqual(expect.arrayContaining([...FAULTS]));
  });
});
