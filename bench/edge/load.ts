// Load generators that count what they were answered, in closed and in open loops. Times are real milliseconds.
import { setTimeout as sleep } from "node:timers/promises";

export interface Sent {
  /** How often each status was answered; 0 stands for no answer. */
  statuses: Map<number, number>;
  /** How long each answer 200 took, from when its request should have gone out. */
  milliseconds: number[];
  /** From the first request to the last answer. */
  elapsed: number;
}

/** Sends the request of an index. @returns the status; 0: no answer */
export type Send = (index: number) => Promise<number>;

/** Each connection sends its next request once the last is answered. */
export async function closedLoop(send: Send, connections: number, milliseconds: number): Promise<Sent> {
  const recorder = new Recorder();
  let next = 0;
  const lane = async () => {
    while (recorder.elapsed < milliseconds) await recorder.record(send, next++, performance.now());
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return recorder.result();
}

/** Requests go out at their times, whether or not the ones before are answered. */
export async function openLoop(send: Send, perSecond: number, milliseconds: number): Promise<Sent> {
  const recorder = new Recorder();
  const gap = 1000 / perSecond;
  const started = performance.now();
  const answers: Promise<void>[] = [];
  while (answers.length * gap < milliseconds) {
    const due = started + answers.length * gap;
    const wait = due - performance.now();
    if (wait > 1) await sleep(wait);
    answers.push(recorder.record(send, answers.length, due));
  }
  await Promise.all(answers);
  return recorder.result();
}

const LOOK_MILLISECONDS = 5;

/** Requests go out as long as fewer than `window` of those that were accepted are not over yet, `requests` in all. */
export async function windowLoop(
  send: Send,
  { window, requests, over }: { window: number; requests: number; over(): number },
): Promise<Sent> {
  const recorder = new Recorder();
  const answers: Promise<void>[] = [];
  while (answers.length < requests) {
    const room = Math.min(requests, over() + recorder.refused + window) - answers.length;
    for (let request = 0; request < room; request++) {
      answers.push(recorder.record(send, answers.length, performance.now()));
    }
    await sleep(LOOK_MILLISECONDS);
  }
  await Promise.all(answers);
  return recorder.result();
}

class Recorder {
  readonly #started = performance.now();
  readonly #statuses = new Map<number, number>();
  readonly #milliseconds: number[] = [];
  #lastAnswer = this.#started;

  get refused(): number {
    const answers = [...this.#statuses.values()].reduce((sum, count) => sum + count, 0);
    return answers - this.#milliseconds.length;
  }

  get elapsed(): number {
    return performance.now() - this.#started;
  }

  async record(send: Send, index: number, due: number): Promise<void> {
    const status = await send(index).catch(() => 0);
    this.#lastAnswer = performance.now();
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    if (status === 200) this.#milliseconds.push(this.#lastAnswer - due);
  }

  result(): Sent {
    const elapsed = this.#lastAnswer - this.#started;
    return { statuses: this.#statuses, milliseconds: this.#milliseconds, elapsed };
  }
}
