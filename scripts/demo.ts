import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SANDBOX_NUMBERS } from "../src/openapi/sandbox-numbers.ts";
import { callOperator, Refusal, type Service } from "./operator/api.ts";

const WEBSITE = "demo";

/** Purposes of the texts that newcomers paste, and of the examples: these go at any hour. */
export const DEMO_TRANSACTIONAL = ["first-text", "example"];

/** As a brand in the USA has it. */
const SETTINGS = {
  name: "Demo",
  carrier: "sandbox",
  sendingHours: { profile: "us-strict", whenClosed: "delay" },
  transactionalPurposes: DEMO_TRANSACTIONAL,
};

interface Subscriber {
  phone: string;
  email: string;
  /** What becomes of a text to it. */
  outcome: string;
}

const PEOPLE: Subscriber[] = [
  { phone: "+12125550100", email: "ada@example.com", outcome: "DELIVERED" },
  { phone: "+12125550101", email: "grace@example.com", outcome: "DELIVERED" },
  { phone: "+12125550102", email: "edsger@example.com", outcome: "DELIVERED" },
];

export const DEMO_PHONES: readonly string[] = PEOPLE.map(({ phone }) => phone);

export const DEMO_SUBSCRIBERS: readonly Subscriber[] = [
  ...PEOPLE,
  ...Object.entries(SANDBOX_NUMBERS).map(([ending, { outcome, reasons = [] }]) => ({
    phone: `+1212555${ending}`,
    email: "",
    outcome: [outcome.replaceAll("`", ""), ...reasons].join(", "),
  })),
];

export interface DemoClient {
  clientId: string;
  clientSecret: string;
  callbackSecret: string;
}

/** Keeps the client's secrets, which the service shows only once. @param state where the data of `npm start` stays */
export function demoClientFile(state = ".wrangler/state"): string {
  return join(state, "demo-client.json");
}

/**
 * Makes what is missing of a website, a client and subscribers to try the service with. A client whose kept secrets were replaced
 * is left alone, and another one is made.
 * @param isInForce whether a client's secret is the one that it was given last
 * @throws Refusal, Unreachable
 */
export async function ensureDemo(
  service: Service,
  file: string,
  isInForce: (client: DemoClient) => Promise<boolean>,
): Promise<DemoClient> {
  await ensureWebsite(service);
  const kept = readClient(file);
  const isUsable = kept !== undefined && (await isGranted(service.url, kept)) && (await isInForce(kept));
  const client = isUsable ? kept : await createClient(service, file);
  await ensureSubscribers(service, client);
  return client;
}

async function ensureWebsite(service: Service): Promise<void> {
  try {
    await callOperator(service, "GET", `/websites/${WEBSITE}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.body.code !== 40401) throw error;
    await callOperator(service, "PUT", `/websites/${WEBSITE}`, SETTINGS);
  }
}

function readClient(file: string): DemoClient | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Asked with bodies that change nothing: both are refused as bad requests once the credentials have been let through. */
async function isGranted(url: string, client: DemoClient): Promise<boolean> {
  const paths = ["/text/message/send", "/text/subscription/status"];
  const answers = await Promise.all(paths.map((path) => post(url + path, client, {})));
  return answers.every(({ status }) => status === 400);
}

async function createClient(service: Service, file: string): Promise<DemoClient> {
  const client: DemoClient = JSON.parse(await callOperator(service, "POST", `/websites/${WEBSITE}/clients`, {}));
  keepClient(file, client);
  return client;
}

function keepClient(file: string, client: DemoClient): void {
  writeFileSync(file, `${JSON.stringify(client, undefined, 2)}\n`, { mode: 0o600 });
}

/** Keeps the new secrets of the demo's client. @param clientId of any client */
export function keepRotated(file: string, clientId: string, secrets: Omit<DemoClient, "clientId">): void {
  const { clientSecret, callbackSecret } = secrets;
  if (readClient(file)?.clientId === clientId) keepClient(file, { clientId, clientSecret, callbackSecret });
}

/** Imports those that are not subscribed: an import of the others would be noted as one more change of theirs. */
async function ensureSubscribers(service: Service, client: DemoClient): Promise<void> {
  const phone_numbers = DEMO_SUBSCRIBERS.map(({ phone }) => phone);
  const answer = await post(`${service.url}/text/subscription/status`, client, { phone_numbers });
  const { phoneNumberStatuses } = (await answer.json()) as {
    phoneNumberStatuses: { phoneNumber: string; subscriptionStatus: boolean }[];
  };
  const subscribed = phoneNumberStatuses.filter((it) => it.subscriptionStatus).map((it) => it.phoneNumber);
  const missing = DEMO_SUBSCRIBERS.filter(({ phone }) => !subscribed.includes(phone));
  if (missing.length === 0) return;
  const csv = ["phone_numbers,email", ...missing.map(({ phone, email }) => `${phone},${email}`)].join("\n");
  await callOperator(
    service,
    "POST",
    `/websites/${WEBSITE}/subscribers?resubscribe=true&everyone=subscribed`,
    new TextEncoder().encode(csv),
  );
}

function post(url: string, client: DemoClient, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
}
