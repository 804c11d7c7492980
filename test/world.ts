import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { type Deps, makeDeps, makeIsolateState } from "../src/deps.ts";
import { chunk } from "../src/domain/chunk.ts";
import type { ClientSettings, Operation } from "../src/domain/clients/client.ts";
import type { Job } from "../src/domain/messages/job.ts";
import { CALLBACKS_A_JOB, inJobs } from "../src/flows/messages/queue-jobs.ts";
import { logLine } from "../src/log.ts";
import { RateGate } from "../src/platform/rate-limiter.ts";
import { SenderTurns } from "../src/platform/sender-turns.ts";
import { consume } from "../src/queue.ts";
import { handleRequest } from "../src/router.ts";
import { sweep } from "../src/sweep.ts";
import { expectDocumented } from "./docs/conformance.ts";
import { begin } from "./kept-beginnings.ts";
import { nextDue } from "./next-due.ts";
import { objectsOn, sendersOn } from "./objects.ts";
import { endSilences } from "./silence.ts";
import { makeStores } from "./stores.ts";
import { strictEnv, strictQueue } from "./strict/bindings.ts";
import { CutOffError, type Handler, type Invocation } from "./strict/invocation.ts";
import { platform } from "./strict/platform.ts";
import { subscriberRow } from "./subscriber-csv.ts";

export const OPERATOR_TOKEN = "operator-token-of-the-tests";
export const ORIGIN = "http://localhost";

interface Queued<T> {
  body: T;
  /** When it is to be delivered: milliseconds since 1970. */
  at: number;
}

export interface TestClient {
  clientId: string;
  clientSecret: string;
  callbackSecret: string;
}

const BEGINNING = Date.UTC(2026, 10, 21, 12);

const wait = scheduler.wait.bind(scheduler);

/** Pauses of less than a second are over at once: between tries of the store, and for others to travel with. */
function skipPauses(): void {
  vi.spyOn(scheduler, "wait").mockImplementation((milliseconds, options) =>
    wait(milliseconds < 1000 ? 0 : milliseconds, options),
  );
}

/** The Worker on real bindings, with a clock that the test holds and queues that deliver when the test says so. */
export class World {
  /** Milliseconds since 1970. */
  now = BEGINNING;
  /** The jobs of both queues of deliveries. */
  readonly jobs: Queued<Job>[] = [];
  /** An entry for each id, whatever job it came with. */
  readonly callbacks: Queued<string>[] = [];
  readonly receipts: Queued<Job>[] = [];
  readonly logs: string[] = [];
  deps: Deps;
  /** The names of what it began with, as long as a test has done nothing else in it. */
  #begun: string | undefined = "";
  /** How often something was made beside a beginning. */
  #disturbances = 0;
  #isNested = false;
  readonly #firstDeps: Deps;

  private constructor() {
    this.deps = {
      ...makeDeps(strictEnv, { waitUntil: (work) => platform.background(work) || this.#left.push(work) }),
      ...makeIsolateState(strictEnv),
      now: () => this.now,
      random: () => 0.5,
      limiter: new RateGate(objectsOn(() => this.deps)),
      turns: new SenderTurns(sendersOn(() => this.deps.now())),
      messages: this.#queue(this.jobs),
      bulk: this.#queue(this.jobs),
      callbacks: this.#queue(this.callbacks, (ids: string[]) => ids),
      receipts: this.#queue(this.receipts),
      log: (level, event, fields) => this.logs.push(logLine(level, event, fields)),
    };
    this.#firstDeps = this.deps;
  }

  /** What the objects of websites have left for later. */
  readonly #left: Promise<unknown>[] = [];

  /** An empty world: nothing of an earlier test is left in a store. */
  static async create(): Promise<World> {
    await makeStores();
    skipPauses();
    endSilences();
    platform.reset();
    return new World();
  }

  /** Another isolate on the same stores, with the same clock and an empty memory. */
  static async another(of: World): Promise<World> {
    const world = new World();
    world.now = of.now;
    world.#begun = undefined;
    of.#begun = undefined;
    return world;
  }

  /** @param split what of a job is kept, each with an entry of its own */
  #queue<T, B = T>(queued: Queued<T>[], split: (job: B) => T[] = (job) => [job as unknown as T]): Queue<B> {
    const sendBatch = async (messages: Iterable<MessageSendRequest<B>>) => {
      for (const { body: job, delaySeconds } of messages) {
        const at = this.now + (delaySeconds ?? 0) * 1000;
        queued.push(...split(job).map((body) => ({ body, at })));
      }
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    };
    const metrics = async () => ({ backlogCount: queued.length, backlogBytes: 0 });
    return strictQueue({ sendBatch, metrics } as unknown as Queue<B>);
  }

  /**
   * Begins with what the Worker makes of some requests, after what it has begun with. They are made once in a process: see
   * kept-beginnings.ts.
   * @param deps those that the name stands for
   */
  async begin<T>(name: string, make: () => Promise<T>, deps = this.#firstDeps): Promise<T> {
    if (this.#isNested) return make();
    if (this.#begun === undefined || this.now !== BEGINNING || this.deps !== deps) {
      this.#disturbances += 1;
      return make();
    }
    const names = `${this.#begun}\n${name}`;
    const before = this.#disturbances;
    const isAlone = () => this.#disturbances === before;
    this.#begun = undefined;
    const result = await begin(names, this.logs, make, isAlone);
    if (isAlone()) this.#begun = names;
    return result;
  }

  /** Begins with several requests at once. */
  async beginWith<T>(name: string, make: () => Promise<T>, deps = this.#firstDeps): Promise<T> {
    const makeAll = async () => {
      this.#isNested = true;
      return make().finally(() => {
        this.#isNested = false;
      });
    };
    return this.begin(name, makeAll, deps);
  }

  /** Runs work of the Worker as one invocation, under Cloudflare's limits. */
  invoke<T>(handler: Handler, work: () => Promise<T>): Promise<T> {
    this.#begun = undefined;
    return platform.invoke(handler, () => this.now, work);
  }

  /** A request to the Worker, whose answer must fit the OpenAPI document; what it left for after its answer is done too. */
  async fetch(path: string, init: RequestInit = {}, origin = ORIGIN): Promise<Response> {
    const request = new Request(`${origin}${path}`, init as RequestInit<RequestInitCfProperties>);
    const response = await this.#finish("fetch", () => handleRequest(request, () => this.deps));
    await expectDocumented(request, init.body, response);
    return response;
  }

  /** An invocation with its background work, and not with that of others: it may be a part of another's work itself. */
  async #finish<T>(handler: Handler, work: () => Promise<T>): Promise<T> {
    this.#begun = undefined;
    let own: Invocation | undefined;
    const result = await platform.invoke(
      handler,
      () => this.now,
      (invocation) => {
        own = invocation;
        return work();
      },
    );
    await own?.settle();
    await this.#settleLeft();
    return result;
  }

  async #settleLeft(): Promise<void> {
    while (this.#left.length > 0) await this.#left.shift();
  }

  /** Waits for all background work. */
  async afterAnswer(): Promise<void> {
    for (const invocation of platform.invocations) if (invocation.hasBackground) await invocation.settle();
    await this.#settleLeft();
  }

  async post(path: string, client: TestClient, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, {
      method: "POST",
      headers: {
        "x-client-id": client.clientId,
        "x-client-secret": client.clientSecret,
        "content-type": "application/json",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  async operator(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<Response> {
    return this.fetch(`/operator${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": contentType },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  /** Was there before: KV takes the next change at once. */
  async website(websiteId = "brand", settings: Record<string, unknown> = {}): Promise<string> {
    await this.begin(JSON.stringify(["website", websiteId, settings]), async () => {
      await this.operator("PUT", `/websites/${websiteId}`, { name: websiteId, ...settings });
    });
    platform.keyWrites.clear();
    return websiteId;
  }

  /** Was there before, as a website was. */
  async client(
    websiteId = "brand",
    settings: Partial<ClientSettings> & { operations?: Operation[] } = {},
  ): Promise<TestClient> {
    const client = await this.begin(JSON.stringify(["client", websiteId, settings]), async () => {
      const answer = await this.operator("POST", `/websites/${websiteId}/clients`, settings);
      return (await answer.json()) as TestClient;
    });
    platform.keyWrites.clear();
    return client;
  }

  /** A website with a client that wants callbacks, and subscribers as lines of CSV. */
  async brand(subscribers: string[] = [], websiteId = "brand"): Promise<TestClient> {
    return this.beginWith(JSON.stringify(["brand", subscribers, websiteId]), async () => {
      await this.website(websiteId, { carrier: "sandbox" });
      if (subscribers.length > 0) await this.subscribers(websiteId, subscribers);
      return this.client(websiteId, { callbackUrl: `https://${websiteId}.example.com/callbacks` });
    });
  }

  /**
   * @param lines see subscriberRow
   * @param query such as `?resubscribe=true`
   */
  async subscribers(websiteId: string, lines: string[], query = ""): Promise<Response> {
    const csv = ["phone_numbers,email,subscribed", ...lines.map(subscriberRow)].join("\n");
    const { body, ...head } = await this.begin(JSON.stringify(["subscribers", websiteId, csv, query]), async () => {
      const answer = await this.operator("POST", `/websites/${websiteId}/subscribers${query}`, csv, "text/csv");
      return { status: answer.status, headers: [...answer.headers], body: await answer.text() };
    });
    return new Response(body, head);
  }

  /** Sends, and gives the message's id. */
  async send(client: TestClient, fields: Record<string, unknown> = {}): Promise<string> {
    const response = await this.post("/text/message/send", client, { ...SEND, ...fields });
    if (response.status !== 200) throw new Error(`send: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { messageId: string }).messageId;
  }

  /** Delivers the jobs that are due, and those that they bring about, until none is. */
  async runQueues(): Promise<void> {
    for (let round = 0; round < 50; round++) {
      const jobs = this.#take(this.jobs);
      const callbacks = this.#take(this.callbacks);
      const hasReceipts = this.receipts.some(({ at }) => at <= this.now);
      if (jobs.length + callbacks.length === 0 && !hasReceipts) return;
      await this.runReceipts();
      for (const batch of inBatches(jobs)) await this.deliver("textgate-messages", batch);
      for (const batch of inBatches(callbacks)) await this.deliver("textgate-callbacks", batch);
    }
    throw new Error("the queues do not come to rest");
  }

  /** Delivers the receipts that are due, and nothing of what they bring about. */
  async runReceipts(): Promise<void> {
    for (const batch of inBatches(this.#take(this.receipts))) await this.deliver("textgate-receipts", batch);
  }

  #take<T>(queue: Queued<T>[]): T[] {
    const due = queue.filter(({ at }) => at <= this.now);
    queue.splice(0, queue.length, ...queue.filter(({ at }) => at > this.now));
    return due.map(({ body }) => body);
  }

  /** Delivers one batch; callbacks as jobs, in batches as wrangler.toml has them, all at once. @returns the indexes of what is to come again, and what was acknowledged */
  async deliver(queue: string, bodies: unknown[], attempts = 1): Promise<{ acknowledged: number; retried: number }> {
    if (queue !== "textgate-callbacks" || bodies.length < 2) return this.#deliverBatch(queue, bodies, attempts);
    const jobs = inJobs(this.deps, bodies.flat().map(String), CALLBACKS_A_JOB);
    const results = await Promise.all(
      chunk(jobs, CALLBACK_JOBS_A_BATCH).map((batch) => this.#deliverBatch(queue, batch, attempts)),
    );
    const sum = (of: "acknowledged" | "retried") => results.reduce((total, result) => total + result[of], 0);
    return { acknowledged: sum("acknowledged"), retried: sum("retried") };
  }

  async #deliverBatch(queue: string, bodies: unknown[], attempts: number) {
    const messages = bodies.map((body, index) => ({
      id: `job-${index}`,
      timestamp: new Date(this.now),
      attempts,
      // A callback by its id alone is a job of one.
      body: queue === "textgate-callbacks" && typeof body === "string" ? [body] : body,
    }));
    const batch = createMessageBatch(queue, messages);
    const context = createExecutionContext();
    try {
      await this.#finish("queue", () => consume(batch, this.deps));
    } catch (error) {
      if (error instanceof CutOffError) return { acknowledged: 0, retried: bodies.length };
      throw error;
    }
    await waitOnExecutionContext(context);
    const result = await getQueueResult(batch, context);
    return { acknowledged: result.explicitAcks.length, retried: result.retryMessages.length };
  }

  async sweep(): Promise<void> {
    await this.#finish("scheduled", () => sweep(this.deps));
  }

  /**
   * Lets minutes pass as on the platform: the sweep runs, and the queues deliver their due jobs. A minute in which nothing is due is left
   * out, because a sweep would find nothing in it.
   */
  async pass(minutes: number): Promise<void> {
    const begin = this.now;
    for (let passed = 0; passed < minutes; ) {
      const jobs = [...this.jobs, ...this.callbacks, ...this.receipts].map(({ at }) => at);
      const due = Math.min(await nextDue(this.deps, this.now), ...jobs);
      passed = Math.min(minutes, Math.max(passed + 1, Math.ceil((due - begin) / 60_000)));
      this.now = begin + passed * 60_000;
      await this.sweep();
      await this.runQueues();
    }
  }

  advance(seconds: number): void {
    this.#begun = undefined;
    this.now += seconds * 1000;
  }

  async rows(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]> {
    this.#begun = undefined;
    return (
      await env.DB.prepare(sql)
        .bind(...parameters)
        .all()
    ).results;
  }

  /** From now on each request has a line in the log, those too of which it has one in a hundred. */
  logEachRequest(): void {
    this.#begun = undefined;
    this.deps.random = () => 0;
  }

  /** What the client reads of its messages, in the order of the feed. */
  async events(client: TestClient): Promise<{ messageId: string; status: string }[]> {
    const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
    return ((await (await this.fetch("/text/events", { headers })).json()) as { events: [] }).events;
  }

  async statusOf(messageId: string): Promise<unknown> {
    return (await this.rows("SELECT status FROM messages WHERE message_id = ?1", messageId))[0]?.status;
  }
}

/** As large as a consumer's batch may be: what wrangler.toml has is less. */
const BATCH = 100;

/** max_batch_size of the queue in wrangler.toml. */
export const CALLBACK_JOBS_A_BATCH = 4;

function inBatches<T>(bodies: T[]): T[][] {
  return Array.from({ length: Math.ceil(bodies.length / BATCH) }, (_, batch) =>
    bodies.slice(batch * BATCH, batch * BATCH + BATCH),
  );
}

/** A send request that lacks only its recipient. */
export const SEND = { text: "Brand: hello", callbackData: '{"profileId":"01H"}', sendPurpose: "spring-sale_01" };
