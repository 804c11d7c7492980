// The world around the service: a carrier, and websites with their endpoints, as slow as real ones.
import type { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../../test/node/harness/call.ts";
import { CountingReceiver } from "../../test/node/harness/counting-receiver.ts";
import { accept, CountingCarrier, RECEIPT } from "../../test/node/harness/fake-kannel.ts";
import { createClient, type SeededClient, seedSubscriptions } from "../seed.ts";
import type { Goal } from "./phase.ts";
import type { Edge } from "./start.ts";

/** Milliseconds of the model. */
export const CARRIER = {
  answersAfter: 100,
  /** The receipt that the text is sent comes so long after its submission, and the one that it is delivered so long after that. */
  sentAfter: 600,
  deliveredAfter: 1000,
  /** Receipts that it gives at a time: so many that it never holds up its own. */
  receiptConnections: 128,
};
const ENDPOINT_ANSWERS_AFTER = 50;

/** Nothing is given up because the model is slow. */
export const PATIENCE_MILLISECONDS = 120_000;

/** Kannel, whose receipts are requests of their own: the sandbox gives them with its answer, in the same run. */
export function makeCarrier(slow: number): CountingCarrier {
  return new CountingCarrier(
    () => ({
      takes: true,
      answer: (response) => sleep(CARRIER.answersAfter * slow).then(() => accept(response)),
      receipts: [
        { type: RECEIPT.sending, afterMilliseconds: CARRIER.sentAfter * slow },
        { type: RECEIPT.delivered, afterMilliseconds: CARRIER.deliveredAfter * slow },
      ],
    }),
    { connections: CARRIER.receiptConnections, timeoutMilliseconds: PATIENCE_MILLISECONDS },
  );
}

/** Vars of the service. */
export function carrierVars(carrier: CountingCarrier, origin: string): Record<string, string> {
  return {
    PUBLIC_ORIGIN: origin,
    KANNEL_SENDSMS_URL: carrier.url,
    KANNEL_USERNAME: "textgate",
    KANNEL_PASSWORD: "password-of-the-bench",
    KANNEL_WEBHOOK_KEY: "webhook-key-of-the-bench",
  };
}

export interface Website {
  client: SeededClient;
  /** undefined: its client has no callback URL. */
  endpoint: CountingReceiver | undefined;
}

const KANNEL = { carrier: "kannel", sender: "12025550199" };

export async function makeWebsite(
  edge: Edge,
  websiteId: string,
  { numbers, isCalledBack = true, from = KANNEL }: { numbers: number; isCalledBack?: boolean; from?: typeof KANNEL },
): Promise<Website> {
  const endpoint = isCalledBack ? await new CountingReceiver(answerLater(edge.price.slow)).open() : undefined;
  const service = { url: { service: edge.url }, operatorToken: edge.operatorToken };
  const settings = endpoint ? { callbackUrl: endpoint.url } : {};
  const client = await createClient(service, websiteId, settings, from);
  await seedSubscriptions(edge.db, websiteId, numbers);
  return { client, endpoint };
}

/** As docs/callbacks.md asks of an endpoint: 2xx, and `Connection: close`. */
function answerLater(slow: number): ConstructorParameters<typeof CountingReceiver>[0] {
  return (response) => {
    setTimeout(() => response.writeHead(204, { connection: "close" }).end(), ENDPOINT_ANSWERS_AFTER * slow);
  };
}

const CALLBACKS_A_MESSAGE = 2;

/** The callbacks from now on. */
export function countCallbacks(websites: Website[]): Goal {
  const endpoints = websites.flatMap(({ endpoint }) => endpoint ?? []);
  for (const { received } of endpoints) received.clear();
  return {
    each: CALLBACKS_A_MESSAGE,
    count: () => endpoints.reduce((sum, { received }) => sum + received.size, 0),
  };
}

/** @throws Error when a callback has come twice */
export function requireOnce(websites: Website[]): void {
  for (const { endpoint } of websites) {
    if ([...(endpoint?.received.values() ?? [])].some((count) => count > 1)) throw new Error("a callback came twice");
  }
}

/** The texts whose last receipt is confirmed from now on. */
export function countDelivered(carrier: CountingCarrier): Goal {
  carrier.confirmed.clear();
  const isDelivered = (type: number) => type === RECEIPT.delivered;
  return {
    each: 1,
    count: () => [...carrier.confirmed.values()].filter(isDelivered).length,
  };
}

/** @returns the status, and the body */
export async function postTo(
  edge: Edge,
  agent: Agent,
  { client }: Website,
  path: string,
  body: string,
): Promise<{ status: number; body: string }> {
  const options = { method: "POST", headers: client.headers, body, timeoutMilliseconds: PATIENCE_MILLISECONDS };
  return call(agent, `${edge.url}${path}`, options);
}
