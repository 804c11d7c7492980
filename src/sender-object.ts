import { DurableObject } from "cloudflare:workers";
import { type Ask, DAY, type Line, MINUTE, type Pace, SenderPace, type Turn } from "./domain/messages/sender-pace.ts";
import { KeptCount } from "./platform/kept-count.ts";
import type { SenderCalls } from "./platform/sender-turns.ts";

/** Where the line is in storage. */
const LINE = "line";

/**
 * The object of one sender, which keeps its pace: each text of all its websites asks it for a turn, whichever database the website is in.
 * What it counts is in storage before it answers.
 */
export class SenderObject extends DurableObject<Env> implements SenderCalls {
  /** Replaced by tests, which hold the clock. */
  static now = () => Date.now();

  readonly #minute = new KeptCount(this.ctx.storage.kv, "minute", MINUTE);
  readonly #day = new KeptCount(this.ctx.storage.kv, "day", DAY);
  readonly #pace = new SenderPace(this.#minute, this.#day, this.ctx.storage.kv.get<Line>(LINE));

  ask(ask: Ask, pace: Pace): Turn {
    const turn = this.#pace.ask(ask, pace, SenderObject.now());
    this.#minute.keep();
    this.#day.keep();
    this.ctx.storage.kv.put(LINE, this.#pace.line);
    return turn;
  }
}
