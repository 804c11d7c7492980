/** "We get 401": what a client's page tells of its last requests, and what that costs. */

import { beforeEach, describe, expect, it, vi } from "vitest";
import { StoredUses } from "../../../src/domain/clients/client-uses.ts";
import type { ClientAnswers } from "../../../src/operator/answers/clients.ts";
import { countingDatabase } from "../../counting-database.ts";
import { failingDatabase } from "../../failing-database.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const START = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const page = async () =>
  (await world.operator("GET", `/clients/${client.clientId}`)).json() as Promise<ClientAnswers["ClientWithChanges"]>;
const ask = async (secret = client.clientSecret, headers = {}) =>
  (await world.post("/text/message/send", { ...client, clientSecret: secret }, { ...SEND, phone: ADA }, headers))
    .status;
const rotate = async (graceSeconds: number) =>
  (await (await world.operator("POST", `/clients/${client.clientId}/rotate`, { graceSeconds })).json()) as {
    clientSecret: string;
  };

describe("the page of a client", () => {
  it("of which nothing is known says so", async () => {
    expect(await page()).toMatchObject({ name: null, lastUsedAt: null, rotatedAt: null, oldPairUntil: null });
    expect(await page()).toMatchObject({ lastRefusal: null });
  });

  it("says when it was last used, within some minutes", async () => {
    await ask();
    expect(await page()).toMatchObject({ lastUsedAt: at(0), lastRefusal: null });
    world.advance(30 * MINUTE);
    await ask();
    expect((await page()).lastUsedAt).toBe(at(30 * MINUTE));
  });

  it("tells the two secrets apart while one is being replaced, and which of them was used", async () => {
    const first = client.clientSecret.slice(-4);
    await ask();
    world.advance(60);
    const { clientSecret } = await rotate(3600);
    const second = clientSecret.slice(-4);
    const old = { endsIn: first, since: at(0), validUntil: at(3660) };
    const present = { endsIn: second, since: at(60), validUntil: null };
    expect((await page()).secrets).toEqual([
      { ...present, lastUsedAt: null },
      { ...old, lastUsedAt: at(0) },
    ]);
    world.advance(600);
    await ask();
    expect((await page()).secrets).toEqual([
      { ...present, lastUsedAt: null },
      { ...old, lastUsedAt: at(660) },
    ]);
    world.advance(60);
    await ask(clientSecret);
    expect((await page()).secrets).toEqual([
      { ...present, lastUsedAt: at(720) },
      { ...old, lastUsedAt: at(660) },
    ]);
    const { clients } = (await (await world.operator("GET", "/websites/brand")).json()) as { clients: object[] };
    expect(clients).toMatchObject([{ lastUsedAt: at(720), secrets: [present, old] }]);
    world.advance(3000);
    expect((await page()).secrets).toEqual([{ ...present, lastUsedAt: at(720) }]);
  });

  it("knows the original pair of a rotation that was repeated", async () => {
    await rotate(3600);
    world.advance(60);
    const { clientSecret } = await rotate(3600);
    expect((await page()).secrets.map(({ endsIn }) => endsIn)).toEqual([
      clientSecret.slice(-4),
      client.clientSecret.slice(-4),
    ]);
  });

  it("says until when the old pair is valid, and that it was refused since", async () => {
    const { clientSecret } = await rotate(3600);
    expect(await page()).toMatchObject({ rotatedAt: at(0), oldPairUntil: at(3600) });
    world.advance(3600);
    expect(await page()).toMatchObject({ rotatedAt: at(0), oldPairUntil: null });
    expect([await ask(), await ask(clientSecret)]).toEqual([401, 200]);
    expect(await page()).toMatchObject({
      lastRefusal: { at: at(3600), cause: "secret-replaced" },
      lastUsedAt: at(3600),
    });
  });

  it.each<[string, number, () => Promise<unknown>]>([
    ["secret-wrong", 401, () => ask("0".repeat(64))],
    ["secret-malformed", 401, () => ask("a password")],
    [
      "suspended",
      403,
      async () => {
        await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
        return ask();
      },
    ],
    [
      "operation-denied",
      403,
      async () => {
        await world.operator("PATCH", `/clients/${client.clientId}`, { operations: ["status"] });
        return ask();
      },
    ],
    [
      "rate-exceeded",
      429,
      async () => {
        const { deps } = world;
        world.deps.limiter.refusal = () => ({ admitted: false, limit: 300, remaining: 0, resetMilliseconds: 1000 });
        const status = await ask();
        world.deps = deps;
        return status;
      },
    ],
    [
      "daily-limit-reached",
      429,
      async () => {
        await world.website("brand", { dailyLimit: 1 });
        await world.subscribers("brand", ["+12125550100"]);
        const send = () => world.post("/text/message/send", client, { ...SEND, phone: "+12125550100" });
        await send();
        return (await send()).status;
      },
    ],
  ])("names the cause %s", async (cause, status, refused) => {
    world.advance(2);
    expect(await refused()).toBe(status);
    expect((await page()).lastRefusal).toEqual({ at: at(2), cause });
  });

  it("keeps what it has to itself", async () => {
    const other = await world.client("brand");
    await ask("0".repeat(64));
    const seen = await world.operator("GET", `/clients/${other.clientId}`);
    expect(await seen.json()).toMatchObject({ lastRefusal: null, lastUsedAt: null });
  });
});

describe("what it costs", () => {
  it("is one row in ten minutes of requests, in one isolate or in two", async () => {
    const other = await World.another(world);
    const known = await world.send(client, { phone: ADA });
    for (const isolate of [world, other]) isolate.advance(11 * MINUTE);
    const { db, take } = countingDatabase(world.deps.db);
    for (const isolate of [world, other]) isolate.deps = { ...isolate.deps, db };
    const writtenIn = async (minutes: number, messageId = known) => {
      let written = 0;
      for (let minute = 0; minute < minutes; minute++) {
        for (const isolate of [world, other]) {
          const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
          await isolate.fetch(`/text/message/status?messageId=${messageId}`, { headers });
          isolate.advance(MINUTE);
          written += take().rowsWritten;
        }
      }
      return written;
    };
    expect(await writtenIn(10)).toBe(1);
    expect(await writtenIn(10)).toBe(1);
    // A refusal that its client is to read of: a row with its index, and a count, for each request here, as they are a minute apart. The
    // first count of the day has an index.
    expect(await writtenIn(10, "none")).toBe(1 + 3 * 20 + 1);
  });

  it("is nothing for ids that no client has", async () => {
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    for (let n = 0; n < 5; n++) await ask("a password", { "x-client-id": String(n).padStart(32, "0") });
    expect(take()).toMatchObject({ calls: 0 });
  });

  it("is a read of KV for a secret without its form, once in five seconds for a client and within the limit of guesses", async () => {
    const read = vi.spyOn(world.deps.credentials, "read");
    for (let n = 0; n < 5; n++) await ask("a password");
    expect(read).toHaveBeenCalledTimes(1);
    for (let n = 0; n < 200; n++) await ask("a password", { "x-client-id": String(n).padStart(32, "0") });
    expect(read.mock.calls.length).toBeLessThanOrEqual(102);
  });

  it("is a bounded memory: what it has forgotten is due again", () => {
    const uses = new StoredUses();
    for (let n = 0; n < 20_000; n++) expect(uses.isDue(`client-${n}`, 1000, 0)).toBe(true);
    expect([uses.isDue("client-19999", 1000, 999), uses.isDue("client-0", 1000, 999)]).toEqual([false, true]);
  });

  it("is never a request: where the store fails, a line of the log says so", async () => {
    world.deps.db = failingDatabase(world.deps.db, Number.POSITIVE_INFINITY);
    expect(await ask("0".repeat(64))).toBe(401);
    expect(world.logs.join()).toContain('"event":"client.use-not-stored"');
  });
});
