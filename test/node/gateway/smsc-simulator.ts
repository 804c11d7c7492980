/** An SMPP 3.4 message centre on loopback, inside the test's own process. What it does is set by outcomes.ts. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { decodeText, encodeText } from "./gsm-text.ts";
import { outcomeFor, type PlannedReceipt } from "./outcomes.ts";
import { encodeReceipt } from "./receipt.ts";
import {
  Command,
  decodeBind,
  decodeSubmitSm,
  EsmClass,
  encodeDeliverSm,
  isResponse,
  type Pdu,
  responseTo,
  type ShortMessage,
  Status,
  withPartHeader,
} from "./smpp.ts";
import { type Delivery, SmppSession } from "./smpp-session.ts";

/** The only account the simulator knows. */
export const SMPP_ACCOUNT = { systemId: "gateway", password: "gateway" } as const;

const DEFAULT_RECEIPT_DELAY_MS = 100;
const REDELIVERY_DELAY_MS = 500;

export interface SmscOptions {
  receiptDelayMs?: number;
}

/** One submit_sm. Numbers are as on the wire: digits without a plus. */
export interface Submit extends ShortMessage {
  outcome: string;
  /** The command_status it was answered with; undefined when it was not answered. */
  status: number | undefined;
  /** Given to what was accepted. */
  messageId: string | undefined;
}

export interface InboundMessage {
  from: string;
  to: string;
  text: string;
}

export interface SmscStats {
  binds: number;
  accepted: number;
  refused: number;
  /** Receipts and inbound messages (each part counts) the gateway has acknowledged. */
  receipts: number;
  inbound: number;
}

export async function startSmscSimulator(options: SmscOptions = {}): Promise<SmscSimulator> {
  const server = createServer();
  const simulator = new SmscSimulator(server, options.receiptDelayMs ?? DEFAULT_RECEIPT_DELAY_MS);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return simulator;
}

/** The whole text of a message sent in parts: joined as octets, because a part may end inside a character. */
export function reassemble(parts: readonly Submit[]): string {
  const inOrder = [...parts].sort((a, b) => (a.part?.number ?? 0) - (b.part?.number ?? 0));
  return decodeText(inOrder[0]?.dataCoding ?? 0, Buffer.concat(inOrder.map((part) => part.octets)));
}

export class SmscSimulator {
  readonly submits: Submit[] = [];
  readonly stats: SmscStats = { binds: 0, accepted: 0, refused: 0, receipts: 0, inbound: 0 };

  readonly #server: Server;
  readonly #receiptDelayMs: number;
  readonly #sessions = new Set<SmppSession>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #refusedOnce = new Set<string>();
  /** Deliveries without a session to go over; the next bind takes them. */
  readonly #waiting: Delivery[] = [];
  /** A gateway may remember message ids for longer than this process lives, so none may come back. */
  readonly #idPrefix = randomBytes(4).toString("hex");
  #messageCount = 0;
  #partReference = 0;
  #reachable = true;

  constructor(server: Server, receiptDelayMs: number) {
    this.#server = server;
    this.#receiptDelayMs = receiptDelayMs;
    server.on("connection", (socket) => this.#connected(socket));
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the SMSC simulator is not listening");
    return address.port;
  }

  /** Sessions a gateway has bound at this moment. */
  get boundSessions(): number {
    return [...this.#sessions].filter((session) => session.canSubmit || session.canReceive).length;
  }

  /** Sends a message from a phone, in parts when it is long; resolves with whether the gateway took all of it. */
  async sendInbound({ from, to, text }: InboundMessage): Promise<boolean> {
    const { dataCoding, parts } = encodeText(text);
    const reference = ++this.#partReference;
    const taken = await Promise.all(
      parts.map((octets, index) => {
        const part = { reference, total: parts.length, number: index + 1 };
        const payload =
          parts.length === 1
            ? { esmClass: EsmClass.message, octets }
            : { esmClass: EsmClass.hasHeader, octets: withPartHeader(octets, part) };
        return this.#deliver("inbound", encodeDeliverSm({ from, to, dataCoding, ...payload }));
      }),
    );
    return taken.every(Boolean);
  }

  /** Cuts every connection, as a network failure would. The gateway may come back at once. */
  dropSessions(): void {
    for (const session of this.#sessions) session.drop();
  }

  /** Makes the SMSC vanish (every connection is cut as it comes), or come back. */
  setReachable(reachable: boolean): void {
    this.#reachable = reachable;
    if (!reachable) this.dropSessions();
  }

  async close(): Promise<void> {
    this.setReachable(false);
    for (const timer of this.#timers) clearTimeout(timer);
    await new Promise((resolve) => this.#server.close(resolve));
    for (const delivery of this.#waiting.splice(0)) delivery.settled(false);
  }

  #connected(socket: Socket): void {
    if (!this.#reachable) {
      socket.destroy();
      return;
    }
    const session = new SmppSession(socket, {
      pdu: (from, pdu) => this.#handle(from, pdu),
      closed: (from) => this.#disconnected(from),
    });
    this.#sessions.add(session);
  }

  #disconnected(session: SmppSession): void {
    this.#sessions.delete(session);
    // What the gateway never acknowledged may never have arrived: it goes first when a session binds again.
    this.#waiting.unshift(...session.takeUnanswered());
    this.#flushWaiting();
  }

  #handle(session: SmppSession, pdu: Pdu): void {
    switch (pdu.command) {
      case Command.bindReceiver:
      case Command.bindTransmitter:
      case Command.bindTransceiver:
        this.#bind(session, pdu);
        break;
      case Command.submitSm:
        this.#submit(session, pdu);
        break;
      case responseTo(Command.deliverSm):
        this.#deliveryAnswered(session, pdu);
        break;
      case Command.enquireLink:
        session.answer(pdu, Status.ok);
        break;
      case Command.unbind:
        session.answer(pdu, Status.ok);
        session.end();
        break;
      default:
        if (!isResponse(pdu.command)) session.refuseUnknown(pdu);
    }
  }

  #bind(session: SmppSession, pdu: Pdu): void {
    const status = bindStatus(pdu);
    session.answer(pdu, status, "simulator");
    if (status !== Status.ok) return;
    session.canSubmit = pdu.command !== Command.bindReceiver;
    session.canReceive = pdu.command !== Command.bindTransmitter;
    this.stats.binds++;
    this.#flushWaiting();
  }

  #submit(session: SmppSession, pdu: Pdu): void {
    if (!session.canSubmit) {
      session.answer(pdu, Status.wrongBindState, "");
      return;
    }
    const message = decodeSubmitSm(pdu.body);
    const outcome = outcomeFor(message.to);
    const submit: Submit = { ...message, outcome: outcome.name, status: undefined, messageId: undefined };
    this.submits.push(submit);
    if (outcome.unanswered) return;

    submit.status = Status.ok;
    const { refusal } = outcome;
    const isMeant = refusal?.onlyPart === undefined || refusal.onlyPart === message.part?.number;
    if (refusal && isMeant && !(refusal.firstTimeOnly && this.#wasRefusedBefore(message))) {
      submit.status = refusal.status;
      this.stats.refused++;
      session.answer(pdu, submit.status, "");
      return;
    }
    submit.messageId = `${this.#idPrefix}${++this.#messageCount}`;
    this.stats.accepted++;
    session.answer(pdu, submit.status, submit.messageId);
    if (message.wantsReceipt) this.#planReceipts(message, submit.messageId, outcome.receipts);
  }

  /** Remembers a first refusal and forgets it at the second try, so that the same text can be sent once more. */
  #wasRefusedBefore({ from, to, octets, part }: ShortMessage): boolean {
    const key = JSON.stringify([from, to, octets.toString("hex"), part]);
    if (this.#refusedOnce.delete(key)) return true;
    this.#refusedOnce.add(key);
    return false;
  }

  #planReceipts(message: ShortMessage, messageId: string, receipts: readonly PlannedReceipt[]): void {
    const submittedAt = new Date();
    for (const { delays, ...planned } of receipts) {
      this.#after(delays * this.#receiptDelayMs, () => {
        void this.#deliver("receipt", encodeReceipt(message, { messageId, ...planned, submittedAt }));
      });
    }
  }

  #deliver(kind: Delivery["kind"], body: Buffer): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.push({ kind, body, settled: resolve });
    this.#flushWaiting();
    return promise;
  }

  #flushWaiting(): void {
    const session = [...this.#sessions].find((candidate) => candidate.canReceive && candidate.open);
    if (!session) return;
    for (const delivery of this.#waiting.splice(0)) session.deliver(delivery);
  }

  #deliveryAnswered(session: SmppSession, { sequence, status }: Pdu): void {
    const delivery = session.takeAnswered(sequence);
    if (!delivery) return;
    if (status === Status.temporaryError) {
      this.#waiting.push(delivery);
      this.#after(REDELIVERY_DELAY_MS, () => this.#flushWaiting());
      return;
    }
    if (status === Status.ok) this.stats[delivery.kind === "receipt" ? "receipts" : "inbound"]++;
    delivery.settled(status === Status.ok);
  }

  #after(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, milliseconds);
    this.#timers.add(timer);
  }
}

function bindStatus(pdu: Pdu): number {
  const { systemId, password } = decodeBind(pdu.body);
  if (systemId !== SMPP_ACCOUNT.systemId) return Status.wrongSystemId;
  if (password !== SMPP_ACCOUNT.password) return Status.wrongPassword;
  return Status.ok;
}
