/**
 * What D1 bills, flow by flow: for one message alone, and for fifty together. docs/measurements.md has the table, which is held
 * here to what is counted. An index more, or a statement, shows in it.
 */

import { afterEach, expect, it, vi } from "vitest";
import measurements from "../../docs/measurements.md?raw";
import type { Carrier } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { firstIdAt } from "../../src/domain/databases/home.ts";
import type { Send } from "../../src/domain/messages/send.ts";
import { purgeMessages } from "../../src/flows/messages/purge-messages.ts";
import { queueAccepted } from "../../src/flows/messages/queue-jobs.ts";
import { storeGroup } from "../../src/flows/messages/store-sends.ts";
import { countLedgers } from "../../src/flows/operations/count-ledgers.ts";
import { storeParts } from "../../src/flows/people/import-subscribers.ts";
import { readImport, type StoredImport } from "../../src/store/people/imports.ts";
import { undoStep } from "../../src/store/people/undo-import.ts";
import { countingDatabase, type Usage } from "../counting-database.ts";
import { SEND, type TestClient, World } from "../world.ts";

const TOGETHER = 50;
const PEOPLE = Array.from({ length: TOGETHER }, (_, index) => `+1212555${1000 + index}`);
const HEAD = "| | Alone: calls | rows read | rows written | Fifty together: calls | rows read | rows written |";

afterEach(() => {
  vi.restoreAllMocks();
});

type Costs = [flow: string, usage: Usage][];

/** A day of some messages, with each call of D1 counted. */
class Day {
  readonly costs: Costs = [];
  readonly #world: World;
  readonly #client: TestClient;
  readonly #take: () => Usage;
  readonly #count: number;

  private constructor(world: World, client: TestClient, take: () => Usage, count: number) {
    this.#world = world;
    this.#client = client;
    this.#take = take;
    this.#count = count;
  }

  static async begin(count: number, isCalledBack: boolean): Promise<Day> {
    const world = await World.create();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
    const submit: Carrier["submit"] = async () => ({ kind: "accepted", carrierMessageId: "c" });
    const carriers = { ready: { sandbox: { ...sandbox, submit } }, missing: {} };
    await world.website("brand", { carrier: "sandbox" });
    await world.subscribers("brand", PEOPLE);
    const callbackUrl = isCalledBack ? { callbackUrl: "https://brand.example.com/" } : {};
    const client = await world.client("brand", callbackUrl);
    await countLedgers(world.deps, world.now);
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, carriers, db };
    return new Day(world, client, take, count);
  }

  async #flow(name: string, work: () => Promise<unknown>): Promise<void> {
    this.#take();
    await work();
    this.costs.push([name, this.#take()]);
  }

  get #people(): string[] {
    return PEOPLE.slice(0, this.#count);
  }

  /** In one group. */
  sends(): Promise<void> {
    const sends = this.#people.map((phone, index) => this.#send(phone, index));
    return this.#flow("a send", async () => {
      const outcomes = await storeGroup(this.#world.deps, sends);
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.kind !== "stored") throw new Error("a send is not stored");
        const pending = outcome.isPending ? [(sends[index] as Send).message] : [];
        queueAccepted(this.#world.deps, "messages", { pending, due: outcome.due });
      }
      await this.#world.afterAnswer();
    });
  }

  #send(phone: string, index: number): Send {
    const number = String(index).padStart(12, "0");
    const absent = { email: null, mediaUrl: null, clickUrl: null, linkCode: null, dedupeHash: null };
    const message = {
      ...{ ...SEND, ...absent, messageId: `${firstIdAt(this.#world.now)}-7000-8010-${number}`, websiteId: "brand" },
      ...{ clientId: this.#client.clientId, phone: Number(phone.slice(1)), encoding: "GSM-7" as const, segments: 1 },
      acceptedAt: this.#world.now,
    };
    return { message, key: null, duplicatesUntil: null, database: "DB" };
  }

  async bulk(): Promise<void> {
    const messages = this.#people.map((phone) => ({ ...SEND, phone }));
    const { post } = this.#world;
    // The first request of a client in ten minutes stores that it was used.
    await post.call(this.#world, "/text/message/statuses", this.#client, { messageIds: [crypto.randomUUID()] });
    return this.#flow("a bulk request", () =>
      post.call(this.#world, "/text/bulk/message/send", this.#client, { messages }),
    );
  }

  submissions(): Promise<void> {
    return this.#flow("its submission", () => this.#deliver("textgate-messages", this.#world.jobs));
  }

  async receipts(status: string): Promise<void> {
    const report = { status, reason: null, carrierMessageId: null, optedOut: false };
    const jobs = (await this.#world.rows("SELECT message_id FROM messages ORDER BY message_id")).map(
      ({ message_id }) => ({
        kind: "receipts",
        carrier: "sandbox",
        receipts: [{ ...report, messageId: message_id }],
      }),
    );
    await this.#flow(`its receipt: ${status}`, () => this.#world.deliver("textgate-receipts", jobs));
  }

  callbacks(status: string): Promise<void> {
    return this.#flow(`its callback: ${status}`, () => this.#deliver("textgate-callbacks", this.#world.callbacks));
  }

  counts(): Promise<void> {
    return this.#flow("its counts", () => countLedgers(this.#world.deps, this.#world.now));
  }

  purge(): Promise<void> {
    this.#world.advance(60);
    return this.#flow("its purge", () => purgeMessages(this.#world.deps, this.#world.now, 1));
  }

  async #deliver(queue: string, queued: { body: unknown }[]): Promise<void> {
    if (queued.length === 0) return;
    await this.#world.deliver(
      queue,
      queued.splice(0).map(({ body }) => body),
    );
  }
}

async function measure(count: number): Promise<Costs> {
  const bulk = await Day.begin(count, false);
  await bulk.bulk();
  const uncalled = await Day.begin(count, false);
  await uncalled.sends();
  await uncalled.submissions();
  await uncalled.receipts("SENDING");
  await uncalled.receipts("DELIVERED");
  await uncalled.counts();
  await uncalled.purge();
  const called = await Day.begin(count, true);
  await wholeDay(called);
  return [
    ...bulk.costs,
    ...called.costs,
    ["**a message in all**, with two receipts and two callbacks", sumOf(called.costs)],
    ["**a message in all**, with two receipts, not called back", sumOf(uncalled.costs)],
  ];
}

async function wholeDay(day: Day): Promise<void> {
  await day.sends();
  await day.submissions();
  await day.callbacks("SENDING");
  await day.receipts("SENDING");
  await day.receipts("DELIVERED");
  await day.callbacks("DELIVERED");
  await day.counts();
  await day.purge();
}

function sumOf(costs: Costs): Usage {
  const sum = (of: keyof Usage) => costs.reduce((total, [, usage]) => total + usage[of], 0);
  return { calls: sum("calls"), rowsRead: sum("rowsRead"), rowsWritten: sum("rowsWritten") };
}

/** The share of one message, to two digits. */
const shares = ({ calls, rowsRead, rowsWritten }: Usage, count: number) =>
  [calls, rowsRead, rowsWritten].map((number) => String(Number((number / count).toFixed(2))));

function tableOf(alone: Costs, together: Costs): string[] {
  return alone.map(([flow, usage], index) => {
    const [, shared] = together[index] as Costs[number];
    return `| ${[flow, ...shares(usage, 1), ...shares(shared, TOGETHER)].join(" | ")} |`;
  });
}

function documented(head: string): string[] | undefined {
  const [, after = ""] = measurements.split(`${head}\n`);
  return after.split("\n\n")[0]?.split("\n").slice(1);
}

it("a message costs what docs/measurements.md says", async () => {
  expect(documented(HEAD)).toEqual(tableOf(await measure(1), await measure(TOGETHER)));
});

/** What an operator's calls cost, but for what each call costs: its token, its website, its entry in the audit log. */
async function measureImport(count: number): Promise<Costs> {
  const world = await World.create();
  await world.website("brand", { carrier: "sandbox" });
  const { db, take } = countingDatabase(world.deps.db);
  world.deps = { ...world.deps, db };
  const costs: Costs = [];
  const flow = async <T>(name: string, work: () => Promise<T>) => {
    take();
    const result = await work();
    costs.push([name, take()]);
    return result;
  };
  const changes = PEOPLE.slice(0, count).map((phone) => ({
    phone: Number(phone.slice(1)),
    email: null,
    subscribed: true,
  }));
  const parts = async function* () {
    yield { rows: count, changes, invalidOptOuts: [] };
  };
  const load = (importId: string) => {
    const request = { websiteId: "brand", importId, isJoined: false, isDry: false, resubscribes: false };
    return storeParts(world.deps, { ...request, file: null, operator: "ada" }, parts(), {
      hasBegun: false,
      storedRows: 0,
    });
  };
  await flow("an import of new numbers", () => load("first"));
  await flow("the same file again", () => load("second"));
  await flow("an undo", async () => undoStep(db, (await readImport(db, "first")) as StoredImport, world.now));
  return costs;
}

it("an import and its undo cost what docs/measurements.md says", async () => {
  expect(documented(HEAD.replace("| |", "| A number |"))).toEqual(
    tableOf(await measureImport(1), await measureImport(TOGETHER)),
  );
});
