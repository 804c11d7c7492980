/** One connection from a gateway to the SMSC: octets in, PDUs out, and which deliveries are still unanswered. */

import type { Socket } from "node:net";
import { Command, cString, decodePdus, encodePdu, type Pdu, responseTo, Status } from "./smpp.ts";

/** A deliver_sm that is to reach the gateway, over as many sessions and tries as that takes. */
export interface Delivery {
  kind: "receipt" | "inbound";
  body: Buffer;
  /** Called with false when the gateway refused it for good or the simulator was closed first. */
  settled: (acknowledged: boolean) => void;
}

export interface SessionEvents {
  pdu: (session: SmppSession, pdu: Pdu) => void;
  closed: (session: SmppSession) => void;
}

export class SmppSession {
  /** Which directions the gateway has bound. */
  canSubmit = false;
  canReceive = false;

  readonly #socket: Socket;
  readonly #unanswered = new Map<number, Delivery>();
  #stream = Buffer.alloc(0);
  #lastSequence = 0;

  constructor(socket: Socket, events: SessionEvents) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("error", () => {}); // "close" follows, and says all there is to know
    socket.on("close", () => events.closed(this));
    socket.on("data", (octets: Buffer) => this.#read(octets, events));
  }

  get open(): boolean {
    return this.#socket.writable;
  }

  /** Most responses carry one string or nothing. */
  answer({ command, sequence }: Pdu, status: number, text?: string): void {
    const body = text === undefined ? Buffer.alloc(0) : cString(text);
    this.#write({ command: responseTo(command), status, sequence, body });
  }

  refuseUnknown({ sequence }: Pdu): void {
    this.#write({ command: Command.genericNack, status: Status.invalidCommand, sequence, body: Buffer.alloc(0) });
  }

  deliver(delivery: Delivery): void {
    const sequence = ++this.#lastSequence;
    this.#unanswered.set(sequence, delivery);
    this.#write({ command: Command.deliverSm, status: Status.ok, sequence, body: delivery.body });
  }

  /** The delivery a deliver_sm_resp is about. */
  takeAnswered(sequence: number): Delivery | undefined {
    const delivery = this.#unanswered.get(sequence);
    this.#unanswered.delete(sequence);
    return delivery;
  }

  takeUnanswered(): Delivery[] {
    const deliveries = [...this.#unanswered.values()];
    this.#unanswered.clear();
    return deliveries;
  }

  end(): void {
    this.#socket.end();
  }

  /** Cuts the connection without a word. */
  drop(): void {
    this.#socket.destroy();
  }

  #read(octets: Buffer, events: SessionEvents): void {
    try {
      const { pdus, rest } = decodePdus(Buffer.concat([this.#stream, octets]));
      this.#stream = Buffer.from(rest);
      for (const pdu of pdus) events.pdu(this, pdu);
    } catch {
      this.drop(); // not SMPP: after this nothing in the stream can be trusted
    }
  }

  #write(pdu: Pdu): void {
    if (this.open) this.#socket.write(encodePdu(pdu));
  }
}
