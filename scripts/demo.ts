import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { callOperator, Refusal, type Service } from "./operator/api.ts";

const WEBSITE = "demo";

const SUBSCRIBERS = [
  ["+12125550100", "ada@example.com"],
  ["+12125550101", "grace@example.com"],
  ["+12125550102", "edsger@example.com"],
] as const;

export const DEMO_PHONES: readonly string[] = SUBSCRIBERS.map(([phone]) => phone);

export interface DemoClient {
  clientId: string;
  clientSecret: string;
  callbackSecret: string;
}

/**
 * Makes what is missing of a website, a client and subscribers to try the service with.
 * @param file keeps the client's secrets, which the service shows only once
 * @throws Refusal, Unreachable
 */
export async function ensureDemo(service: Service, file: string): Promise<DemoClient> {
  await ensureWebsite(service);
  const kept = readClient(file);
  const client = kept && (await isGranted(service.url, kept)) ? kept : await createClient(service, file);
  await ensureSubscribers(service, client);
  return client;
}

async function ensureWebsite(service: Service): Promise<void> {
  try {
    await callOperator(service, "GET", `/websites/${WEBSITE}`);
  } catch (error) {
    if (!(error instanceof Refusal) || error.body.code !== 40401) throw error;
    await callOperator(service, "PUT", `/websites/${WEBSITE}`, { name: "Demo", carrier: "sandbox" });
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
  writeFileSync(file, `${JSON.stringify(client, undefined, 2)}\n`, { mode: 0o600 });
  return client;
}

/** Imports those that are not subscribed: an import of the others would be noted as one more change of theirs. */
async function ensureSubscribers(service: Service, client: DemoClient): Promise<void> {
  const answer = await post(`${service.url}/text/subscription/status`, client, { phone_numbers: DEMO_PHONES });
  const { phoneNumberStatuses } = (await answer.json()) as {
    phoneNumberStatuses: { phoneNumber: string; subscriptionStatus: boolean }[];
  };
  const subscribed = phoneNumberStatuses.filter((it) => it.subscriptionStatus).map((it) => it.phoneNumber);
  const missing = SUBSCRIBERS.filter(([phone]) => !subscribed.includes(phone));
  if (missing.length === 0) return;
  const csv = [["phone_numbers", "email"], ...missing].map((row) => row.join(",")).join("\n");
  await callOperator(service, "POST", `/websites/${WEBSITE}/subscribers`, new TextEncoder().encode(csv));
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
