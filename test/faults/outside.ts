import { vi } from "vitest";
import type { Carrier, InboundText, OutboundMessage, Submission } from "../../src/carriers/carrier.ts";
import { readConfig } from "../../src/config.ts";
import type { Deps } from "../../src/deps.ts";
import type { Receipt } from "../../src/domain/messages/receipt.ts";
import { platform } from "../strict/platform.ts";
import type { World } from "../world.ts";

export interface Submitted extends OutboundMessage {
  /** Milliseconds since 1970. */
  at: number;
  /** What the carrier answered; `broken` for no answer at all. */
  outcome: Submission["kind"] | "broken";
}

export interface Post {
  eventId: string;
  url: string;
  at: number;
  body: { messageId: string; eventType: string; status: string; callbackData: string };
}

/** What answers a person texts back, word for word, in a website named so. */
export const confirmationOf = (website: string) =>
  `${website}: You are unsubscribed and will get no more messages. Reply START to subscribe again.`;

/**
 * What is not the service's: a carrier and the clients' endpoints. Both count what reaches them, so that the service's own
 * record can be held against it.
 */
export class Outside {
  readonly submitted: Submitted[] = [];
  readonly posts: Post[] = [];
  /** Texts that reached somebody after their STOP was answered, the confirmations aside. */
  readonly afterStop: Submitted[] = [];
  /** What becomes of a message, by the number it goes to; others are accepted. */
  readonly behaviours = new Map<string, (message: OutboundMessage) => Submission | Promise<Submission>>();
  /** What an endpoint answers. */
  endpoint: (url: string, signal: AbortSignal) => Response | Promise<Response> = () => new Response("thanks");
  readonly #world: World;
  readonly #optedOut = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The deps of a service whose every website's carrier is this one. */
  connect(deps: Deps): Deps {
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => this.#receive(String(input), init));
    const config = { ...deps.config, carriers: readConfig({ PUBLIC_ORIGIN: "https://sms.example.com" }).carriers };
    return { ...deps, config, carriers: { ready: { sandbox: this.#carrier() }, missing: {} } };
  }

  #carrier(): Carrier {
    const read = async <T>({ body }: { body: string }) => ({
      kind: "verified" as const,
      reports: JSON.parse(body) as T[],
    });
    return {
      validateSender: () => undefined,
      submit: (message) => platform.call({ what: "fetch" }, () => this.#submit(message)),
      readReceipts: (request) => read<Receipt>(request),
      readInbound: (request) => read<InboundText>(request),
    };
  }

  async #submit(message: OutboundMessage): Promise<Submission> {
    const submitted: Submitted = { ...message, at: this.#world.now, outcome: "broken" };
    this.submitted.push(submitted);
    if (this.#optedOut.has(message.to) && !message.text.includes("You are unsubscribed"))
      this.afterStop.push(submitted);
    const accepted = { kind: "accepted", carrierMessageId: `c-${message.messageId}` } as const;
    const submission = (await this.behaviours.get(message.to)?.(message)) ?? accepted;
    submitted.outcome = submission.kind;
    return submission;
  }

  async #receive(url: string, init: RequestInit | undefined): Promise<Response> {
    const eventId = new Headers(init?.headers).get("webhook-id") ?? "";
    this.posts.push({ eventId, url, at: this.#world.now, body: JSON.parse(String(init?.body)) });
    return this.endpoint(url, init?.signal as AbortSignal);
  }

  /** To be called when what a person texted has been answered with 200. */
  heard(phone: string, text: string): void {
    if (/^stop\b/i.test(text)) this.#optedOut.add(phone);
    if (/^start\b/i.test(text)) this.#optedOut.delete(phone);
  }

  /** The submissions after which a message is not to be submitted again: all but those that ended in "later". */
  concluded(): Submitted[] {
    return this.submitted.filter(({ outcome }) => outcome !== "later");
  }
}
