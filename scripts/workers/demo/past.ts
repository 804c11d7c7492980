// The service at a time that has passed: its own code, with a clock that is set and queues that this file runs.
import { type Deps, makeDeps, makeIsolateState } from "../../../src/deps.ts";
import { newId } from "../../../src/domain/databases/home.ts";
import { consume } from "../../../src/queue.ts";
import { handleRequest } from "../../../src/router.ts";

/** What the clock adds each time that it is asked, in turn: so work takes time, and times are in order. */
const TICKS_MILLISECONDS = [9, 31, 14, 57, 22, 40, 11];

interface Queued {
  queue: string;
  body: unknown;
  attempts: number;
  /** Milliseconds since 1970. */
  dueAt: number;
}

/** The headers of a caller. */
export type Caller = Record<string, string>;

export class Past {
  readonly deps: Deps;
  readonly #origin: string;
  readonly #work: Promise<unknown>[] = [];
  #queued: Queued[] = [];
  #now: number;
  #ticks = 0;
  #jobs = 0;

  /** @param origin of the requests that are made @param start milliseconds since 1970 */
  constructor(env: Env, origin: string, start: number) {
    this.#origin = origin;
    this.#now = start;
    const waitUntil = (work: Promise<unknown>) => void this.#work.push(work);
    this.deps = {
      ...makeDeps(env, { waitUntil }),
      // An isolate that answers requests has a state of the present.
      ...makeIsolateState(env),
      messages: this.#queueOf("messages"),
      bulk: this.#queueOf("bulk"),
      callbacks: this.#queueOf("callbacks"),
      receipts: this.#queueOf("receipts"),
      now: () => this.#tick(),
      newId: (home = 0) => newId(home, this.#now, crypto.randomUUID()),
      waitUntil,
      log: () => {},
    };
  }

  /** Runs the jobs that are due by then, and sets the clock. @param time milliseconds since 1970 */
  async passTo(time: number): Promise<void> {
    for (let next = this.#takeDue(time); next.length > 0; next = this.#takeDue(time)) await this.#run(next);
    this.#now = Math.max(this.#now, time);
  }

  /** A request, and what it leaves to do after its answer. @returns the JSON of the answer @throws Error when it is refused */
  async call<T>(caller: Caller, method: string, path: string, body: object | string): Promise<T> {
    const headers = { "content-type": typeof body === "string" ? "text/csv" : "application/json", ...caller };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(this.#origin + path, { method, headers, body: text });
    const answer = await this.work(handleRequest(request, () => this.deps));
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json<T>();
  }

  /** Waits for work, and for what it leaves to do after it. */
  async work<T>(work: Promise<T>): Promise<T> {
    const done = await work;
    while (this.#work.length > 0) await Promise.all(this.#work.splice(0));
    return done;
  }

  /** A job that is in a queue, whoever has put it there. */
  add(queue: string, body: unknown, delaySeconds = 0): void {
    this.#queued.push({ queue, body, attempts: 1, dueAt: this.#now + delaySeconds * 1000 });
  }

  /** Jobs of one queue. Those of callbacks come alone: see wrangler.toml. */
  #takeDue(time: number): Queued[] {
    const due = this.#queued.filter(({ dueAt }) => dueAt <= time).sort((a, b) => a.dueAt - b.dueAt);
    const [first] = due;
    if (!first) return [];
    const together = due.filter(({ queue, dueAt }) => queue === first.queue && dueAt - first.dueAt < 1000);
    const taken = first.queue === "callbacks" ? [first] : together;
    this.#queued = this.#queued.filter((job) => !taken.includes(job));
    this.#now = Math.max(this.#now, first.dueAt);
    return taken;
  }

  async #run(jobs: Queued[]): Promise<void> {
    const messages = jobs.map((job) => ({
      id: `demo-${++this.#jobs}`,
      timestamp: new Date(job.dueAt),
      body: job.body,
      attempts: job.attempts,
      ack: () => {},
      retry: ({ delaySeconds = 0 } = {}) => {
        this.#queued.push({ ...job, attempts: job.attempts + 1, dueAt: this.#now + delaySeconds * 1000 });
      },
    }));
    const queue = `textgate-${jobs[0]?.queue}`;
    await this.work(consume({ queue, messages } as unknown as MessageBatch, this.deps));
  }

  #tick(): number {
    this.#ticks += 1;
    this.#now += TICKS_MILLISECONDS[this.#ticks % TICKS_MILLISECONDS.length] ?? 0;
    return this.#now;
  }

  #queueOf<T>(name: string): Queue<T> {
    const send = async (body: unknown, { delaySeconds = 0 } = {}) => this.add(name, body, delaySeconds);
    const sendBatch = async (batch: Iterable<{ body: unknown; delaySeconds?: number }>) => {
      for (const { body, delaySeconds = 0 } of batch) this.add(name, body, delaySeconds);
    };
    return { send, sendBatch } as unknown as Queue<T>;
  }
}
