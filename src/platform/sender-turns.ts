// Calls the object that keeps the pace of a sender. The pace itself: src/domain/messages/sender-pace.ts.
import type { Ask, Pace, Turn } from "../domain/messages/sender-pace.ts";
import { withinTime } from "./time-limit.ts";

/** The object of one sender; see sender-object.ts. */
export interface SenderCalls extends Rpc.DurableObjectBranded {
  ask(ask: Ask, pace: Pace): Turn;
}

export type SenderNamespace = DurableObjectNamespace<SenderCalls>;

/** Longest silence of an object. The turn that it may have given is lost. */
const ASK_MILLISECONDS = 1000;

export class SenderTurns {
  readonly #senders: SenderNamespace;
  readonly #options: DurableObjectNamespaceGetDurableObjectOptions;

  /** @param location where objects are made that do not exist yet; left out, near the first run that asks */
  constructor(senders: SenderNamespace, location?: DurableObjectLocationHint) {
    this.#senders = senders;
    this.#options = location === undefined ? {} : { locationHint: location };
  }

  /** @throws the error of the object, or SilenceError: the turn may be given */
  async ask({ carrier, sender }: { carrier: string; sender: string }, ask: Ask, pace: Pace): Promise<Turn> {
    const object = this.#senders.getByName(JSON.stringify([carrier, sender]), this.#options);
    return withinTime(ASK_MILLISECONDS, object.ask(ask, pace) as Promise<Turn>);
  }
}
