/**
 * A D1 that is asked for three times what it can carry, for two minutes. The Worker is the real one, on the statements and tables of
 * a real D1. Simulated are the clock, the one thread of D1 with its queue, the platform's queues, and the callers. The trials run it
 * (`npm run faults -- --only bindings`), because it takes minutes.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { printSummary } from "../faults/summary.ts";
import { World } from "../world.ts";
import { type Sent, Service } from "./service.ts";

/** Slower than a real D1, of which Cloudflare says "several milliseconds" for a write: a test cannot run as many calls. */
const D1 = { milliseconds: 12, mostQueued: 100 };

const SECONDS_OF_LOAD = 120;
/** Until what was accepted is submitted. Half of what D1 can carry is asked of it meanwhile. */
const SECONDS_TO_RECOVER = 240;
/** For so long it is seen then that nothing waits. */
const SECONDS_AFTER = 10;
/** Callers that each wait for the callback of a text before they send the next: as many as keep D1 busy, and none refused. */
const PATIENT_CALLERS = 40;
const MEASURED_SECONDS = 30;
const PHONE = "+12125550100";

afterEach(() => {
  vi.restoreAllMocks();
});

async function openService(websites?: number): Promise<Service> {
  const world = await World.create();
  return new Service(world, await world.brand([PHONE]), PHONE, { d1: D1, websites });
}

/** Texts a second, from the request to the callback, when nobody asks for more than there is. */
async function measureCapacity(service: Service): Promise<number> {
  const { clock } = service;
  const until = clock.now + MEASURED_SECONDS * 1000;
  let open = PATIENT_CALLERS;
  for (let caller = 0; caller < PATIENT_CALLERS; caller++) {
    void (async () => {
      while (clock.now < until) {
        const { messageId = "" } = await service.send();
        while (!service.posted.has(`${messageId}_SENDING`)) await clock.wait(100);
      }
      open -= 1;
    })();
  }
  await clock.pass(MEASURED_SECONDS * 1000);
  const { size } = service.posted;
  await clock.runUntil(() => open === 0 && service.isIdle);
  return size / MEASURED_SECONDS;
}

const isSubmittedWithin = (service: Service, { messageId = "", at }: Sent, seconds: number) =>
  (service.submittedAt.get(messageId)?.[0] ?? Number.POSITIVE_INFINITY) - at < seconds * 1000;

interface Load {
  capacity: number;
  /** Texts that were submitted a second, during the load. */
  goodput: number;
  during: Sent[];
  after: Sent[];
}

/** Three times the capacity, and half of it until some time after the recovery. */
async function overload(service: Service): Promise<Load> {
  const { clock, submittedAt } = service;
  const capacity = await measureCapacity(service);
  expect(service.retryAfter).toEqual([]);
  const [startedAt, before] = [clock.now, submittedAt.size];
  await service.load(3 * capacity, SECONDS_OF_LOAD);
  const goodput = (submittedAt.size - before) / SECONDS_OF_LOAD;
  const endedAt = clock.now;
  await service.load(capacity / 2, SECONDS_TO_RECOVER + SECONDS_AFTER);
  await service.settle();
  const during = service.sent.filter(({ at }) => at >= startedAt && at < endedAt);
  const after = service.sent.filter(({ at }) => at >= endedAt + SECONDS_TO_RECOVER * 1000);
  const refused = during.filter(({ statuses }) => statuses.includes(503));
  const last = during.flatMap(({ messageId = "" }) => submittedAt.get(messageId)?.[0] ?? []).reduce(latest, 0);
  printSummary(
    `capacity ${capacity.toFixed(1)}/s; offered ${(during.length / SECONDS_OF_LOAD).toFixed(1)}/s, submitted ${goodput.toFixed(1)}/s; ` +
      `${refused.length} of ${during.length} refused at first; D1 refused ${service.database.refused} of ${service.database.served} calls; ` +
      `the last that was accepted was submitted ${((last - endedAt) / 1000).toFixed(1)} s after the load`,
  );
  return { capacity, goodput, during, after };
}

const latest = (one: number, other: number) => Math.max(one, other);

/** It is itself again, and nothing was lost or sent twice. */
async function expectRecovery(service: Service, { after }: Load): Promise<void> {
  expect(after.length).toBeGreaterThan(50);
  expect(after.filter(({ statuses }) => statuses[0] !== 200)).toEqual([]);
  expect(after.filter((sent) => !isSubmittedWithin(service, sent, 5))).toEqual([]);
  await expectAllOnce(service);
}

describe("a D1 that is asked for three times what it can carry", () => {
  it("by as many websites as texts refuses the rest with a time to come back, and is itself again soon", async () => {
    const service = await openService();
    const load = await overload(service);
    expect(new Set(service.sent.flatMap(({ statuses }) => statuses))).toEqual(new Set([200, 503]));
    expect(new Set(service.retryAfter)).toEqual(new Set([3, 4, 5, 6, 7, 8, 9]));
    await expectRecovery(service, load);
  });

  it("by fifty websites, whose objects write one group at a time, takes in all of it and goes on delivering", async () => {
    const service = await openService(50);
    const load = await overload(service);
    expect(new Set(service.sent.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
    expect(load.goodput).toBeGreaterThanOrEqual(0.8 * load.capacity);
    await expectRecovery(service, load);
  });
});

/** Each text that was answered with 200 is stored, submitted and called back once, and there is no other. */
async function expectAllOnce(service: Service): Promise<void> {
  const ids = service.sent.flatMap(({ messageId }) => messageId ?? []).sort();
  const rows = await service.rows("SELECT message_id FROM messages WHERE status = 'SENDING' ORDER BY 1");
  expect(rows.map(({ message_id }) => message_id)).toEqual(ids);
  expect(await service.rows("SELECT message_id FROM messages WHERE status <> 'SENDING'")).toEqual([]);
  expect([...service.submittedAt.keys()].sort()).toEqual(ids);
  expect([...service.submittedAt.values()].filter((times) => times.length !== 1)).toEqual([]);
  expect([...service.posted.keys()].sort()).toEqual(ids.map((id) => `${id}_SENDING`));
  expect([...service.posted.values()].filter((count) => count !== 1)).toEqual([]);
}
