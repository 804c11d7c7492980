// What a night is played in: the service with the sweeps of production, a gateway, a website through it, a healthy neighbor, and
// the endpoint that hears of problems.
import type { ServiceState } from "../../../../src/domain/operations/problems.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, type Conduct, CountingCarrier, RECEIPT } from "../../harness/fake-kannel.ts";
import { type Bundle, Service } from "../../harness/killable-service.ts";
import { run, waitFor } from "../../harness/processes.ts";
import { type Receiver, startReceiver } from "../../harness/receiver.ts";
import { type Client, operate, TOKEN } from "../../harness/service.ts";
import { makeWebsite } from "../crash/client.ts";
import { HealthyNeighbor, heldUp, Messages } from "../crash/neighbors.ts";
import { lookAt, Watch } from "./watch.ts";

/** As in production. */
const SWEEP_MILLISECONDS = 60_000;
const REQUEUE_AFTER_SECONDS = "60";

export const works = (): Conduct => ({
  takes: true,
  answer: accept,
  receipts: [{ type: RECEIPT.delivered, afterMilliseconds: 30 }],
});

/** What the gateway does from now on with each text. */
export function conductOf(answer: Conduct["answer"], takes: boolean): () => Conduct {
  return () => ({ ...works(), takes, answer, ...(takes ? {} : { receipts: [] }) });
}

export interface Alert {
  type: string;
  data: { problem: string; subject: string };
}

export interface PlaceOptions {
  bundle: Bundle;
  keep: boolean;
  /** Off: the night calls for each sweep itself. */
  cron?: "off";
}

export interface Brand {
  client: Client;
  /** The numbers of its messages: see phoneAt. */
  numbers: number[];
  receiver: CountingReceiver;
}

interface Parts {
  service: Service;
  gateway: CountingCarrier;
  /** Hears alerts and heartbeats. */
  ears: Receiver;
  healthy: HealthyNeighbor;
  messages: Messages;
}

export class Place {
  readonly service: Service;
  readonly gateway: CountingCarrier;
  readonly watch: Watch;
  /** Those of the operator, as they were called. */
  readonly commands: string[] = [];
  readonly #parts: Parts;
  readonly #receivers: CountingReceiver[];

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.service = parts.service;
    this.gateway = parts.gateway;
    this.watch = new Watch(() => lookAt(this.url));
    this.#receivers = [parts.healthy.receiver];
  }

  static async open({ cron, ...options }: PlaceOptions): Promise<Place> {
    const gateway = new CountingCarrier(works);
    await gateway.open();
    const ears = await startReceiver();
    const service = await Service.start({
      ...options,
      sendSmsUrl: gateway.url,
      bindings: { REQUEUE_AFTER_SECONDS, ALERT_URL: `${ears.url}/alert`, HEARTBEAT_URL: `${ears.url}/heartbeat` },
      sweepEveryMilliseconds: SWEEP_MILLISECONDS,
    });
    const messages = new Messages();
    const healthy = await HealthyNeighbor.make(service.url, messages);
    const place = new Place({ service, gateway, ears, healthy, messages });
    await place.turn({ ...(cron && { cron }), sweep: "now" });
    return place;
  }

  get url(): string {
    return this.service.url;
  }

  /** Turns the switches of test/workers/night.ts. */
  async turn(switches: Record<string, string>): Promise<void> {
    const response = await fetch(`${this.url}/night?${new URLSearchParams(switches)}`, { method: "POST" });
    if (!response.ok) throw new Error(`POST /night: ${response.status} ${await response.text()}`);
  }

  /** A command of the operator, as it is called. */
  async operator(...args: string[]): Promise<{ code: number | null; output: string }> {
    const name = args.join(" ");
    if (!this.commands.includes(name)) this.commands.push(name);
    const env = { TEXTGATE_URL: this.url, OPERATOR_TOKEN: TOKEN };
    const cli = run(process.execPath, ["scripts/operator/main.ts", ...args], { env });
    return { code: await cli.exited, output: cli.output() };
  }

  /** A website with so many subscribers, and a client whose endpoint counts. */
  async makeBrand(
    count: number,
    { carrier = "kannel" as "kannel" | "sandbox", websiteId = "brand", receiver = new CountingReceiver() } = {},
  ): Promise<Brand> {
    this.#receivers.push(await receiver.open());
    const numbers = this.#parts.messages.take(count);
    const client = await makeWebsite(this.url, { websiteId, carrier, messages: numbers }, receiver);
    return { client, numbers, receiver };
  }

  /** The first alert that fits. */
  heard(fits: (alert: Alert) => boolean): Alert | undefined {
    const posts = this.#parts.ears.received.filter(({ path }) => path === "/alert");
    return posts.map(({ body }) => JSON.parse(body) as Alert).find(fits);
  }

  /** How often the sweep has fetched HEARTBEAT_URL. */
  countBeats(): number {
    return this.#parts.ears.received.filter(({ path }) => path === "/heartbeat").length;
  }

  /** @returns what the neighbor must not notice, a line each */
  async measureNeighbor(beside: string): Promise<string[]> {
    return heldUp(beside, await this.#parts.healthy.measure());
  }

  /** Until nothing waits any more. @returns whether that came in time */
  async settle(milliseconds: number): Promise<boolean> {
    // null: it could not be read.
    const isDone = ({ messages: { waiting, retrying, claimed }, callbacks }: ServiceState) =>
      [waiting, retrying, claimed, callbacks.due].every(({ count }) => count === 0);
    const look = async () => isDone(await operate(this.url, "GET", "/health")) && this.gateway.reporting === 0;
    return waitFor("nothing to wait", look, milliseconds).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    await this.watch.stop();
    await this.service.remove();
    for (const it of [this.gateway, this.#parts.ears, ...this.#receivers]) await it.close();
  }
}
