import { afterAll, beforeAll, expect, vi } from "vitest";
import { makeCarriers } from "../../src/carriers/index.ts";
import { readConfig } from "../../src/config.ts";
import { sockets } from "../sockets.ts";
import { platform } from "../strict/platform.ts";
import { type TestClient, World } from "../world.ts";
import { kannel } from "./kannel.ts";
import { telnyx } from "./telnyx.ts";
import {
  type Hook,
  PUBLIC_ORIGIN,
  readBody,
  readSubmission,
  type Submitted,
  type TestCarrier,
} from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

export const CARRIERS: TestCarrier[] = [twilio, telnyx, kannel];
/** Those that keep a list of who has opted out themselves. */
export const OPTING_OUT = CARRIERS.filter(({ optOut }) => optOut);
export const ADA = "+12125550100";
export const BOB = "+12125550101";
/** The website's own number. */
export const OURS = "+12125550000";

export const SETTINGS = Object.assign({ PUBLIC_ORIGIN }, ...CARRIERS.map(({ settings }) => settings)) as Record<
  string,
  string
>;

let connection: () => Promise<unknown> = async () => {};

/** Holds the connection by which the Kannel carrier finds out whether there is a gateway. */
export function mockSockets(): void {
  const { connect } = sockets;
  beforeAll(() => {
    const held = () => {
      const opened = platform.call({ what: "connect" }, connection);
      // A socket is closed once it has been opened, or could not be: not before.
      return { opened, close: async () => void (await opened) };
    };
    sockets.connect = held as unknown as typeof connect;
  });
  afterAll(() => {
    sockets.connect = connect;
  });
}

/** The Worker with three carriers set up, in the place of which the test answers and calls. */
export class CarrierWorld {
  readonly world: World;
  readonly carrier: TestCarrier;
  client: TestClient = { clientId: "", clientSecret: "", callbackSecret: "" };
  readonly submitted: Submitted[] = [];
  /** The statuses of the callbacks that were posted, in order, by message. */
  readonly callbacks: Record<string, string[]> = {};
  answer: (submitted: Submitted) => Response | Promise<Response>;

  private constructor(world: World, carrier: TestCarrier) {
    this.world = world;
    this.carrier = carrier;
    this.answer = carrier.accepts;
  }

  /** An empty one, with a website "brand" at the carrier and two subscribers. */
  static async create(carrier: TestCarrier): Promise<CarrierWorld> {
    const it = new CarrierWorld(await World.create(), carrier);
    it.configure(SETTINGS);
    connection = async () => {};
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
      it.#receive(new Request(input as string, init as RequestInit), init),
    );
    const make = async () => {
      await it.world.website("brand", { carrier: carrier.name, sender: OURS });
      await it.world.subscribers("brand", [ADA, BOB]);
      return it.world.client("brand", { callbackUrl: "https://brand.example.com/callbacks" });
    };
    it.client = await it.world.beginWith(`a website at ${carrier.name}`, make, it.world.deps);
    return it;
  }

  configure(settings: Record<string, string>): void {
    const config = { ...this.world.deps.config, carriers: readConfig(settings).carriers };
    this.world.deps = { ...this.world.deps, config, carriers: makeCarriers(config) };
  }

  /** What becomes of a connection to the gateway. */
  set connection(becomes: () => Promise<unknown>) {
    connection = becomes;
  }

  async #receive(request: Request, init: RequestInit | undefined): Promise<Response> {
    const body = await readBody(request);
    const carrier = CARRIERS.find(({ isSubmission }) => isSubmission(request));
    if (!carrier) {
      const { messageId, status } = JSON.parse(body) as { messageId: string; status: string };
      this.callbacks[messageId] = [...(this.callbacks[messageId] ?? []), status];
      return new Response("thanks");
    }
    const submitted = readSubmission(carrier, request, body, init);
    this.submitted.push(submitted);
    return this.answer(submitted);
  }

  /** Every request that was made is one that the carrier publishes. */
  expectPublished(): void {
    for (const { faults } of this.submitted) expect(faults).toEqual([]);
  }

  /** Sends, delivers what is due, and gives what reached the carrier. */
  async submit(fields: Record<string, unknown> = {}): Promise<Submitted> {
    const messageId = await this.world.send(this.client, { phone: ADA, ...fields });
    await this.world.runQueues();
    const submitted = this.submitted.find((one) => one.messageId === messageId);
    if (!submitted) throw new Error("nothing was submitted");
    return submitted;
  }

  async call(hook: Hook): Promise<Response> {
    const { pathname, search } = new URL(hook.url);
    const init = {
      method: hook.method,
      headers: hook.headers,
      ...(hook.body === undefined ? {} : { body: hook.body }),
    };
    return this.world.fetch(pathname + search, init);
  }

  /** Calls, and has what was queued applied. */
  async callReceipt(hook: Hook): Promise<Response> {
    const answer = await this.call(hook);
    await this.world.runReceipts();
    return answer;
  }

  async receipt(submitted: Submitted, status: string, error?: string): Promise<Response> {
    const given = error === undefined ? { status } : { status, error };
    return this.callReceipt(await this.carrier.receipt(submitted, given, this.world.now));
  }

  async inbound(
    text: string,
    given: { id?: string; from?: string; to?: string; more?: Record<string, string> } = {},
  ): Promise<Response> {
    const { id = crypto.randomUUID(), from = ADA, to = OURS, more = {} } = given;
    return this.call(await this.carrier.inbound({ id, from, to, text, more }, this.world.now));
  }

  async message(messageId: string): Promise<Record<string, unknown>> {
    return (await this.world.operator("GET", `/messages/${messageId}`)).json();
  }

  async events(messageId: string): Promise<string[]> {
    const { events } = (await this.message(messageId)) as { events: { status: string }[] };
    return events.map(({ status }) => status);
  }

  async person(phone: string, websiteId = "brand"): Promise<Person> {
    return (await this.world.operator("GET", `/websites/${websiteId}/people/${phone}`)).json();
  }
}

export interface Person {
  subscribed: boolean;
  optedOutByPerson: boolean;
  changes: { from: boolean | null; to: boolean; source: string; proof: string }[];
  texts: { text: string; keyword: string | null }[];
}
