// The websites that are fuzzed: each with clients and subscribers, some at each account of a carrier.
import { ACCOUNTS } from "./carriers.ts";
import type { Client, FuzzRequest } from "./client.ts";
import type { FuzzedClient, Known } from "./requests.ts";

/** More than one, as each takes 300 requests a second. */
const WEBSITES = 60;
const CLICK_URLS = ["https://example.com/?a=b#c", "https://bücher.example/路径?q=é#💬"];
const LINKS = 20;
export const PHONES = Array.from({ length: 40 }, (_, index) => `+1212555${String(100 + index).padStart(4, "0")}`);

export interface Issued {
  clientId: string;
  clientSecret: string;
}

/** An operator's call that must succeed. @param body a string is CSV @returns the answer */
export async function callOperator(
  client: Client,
  operatorToken: string,
  method: string,
  path: string,
  body?: object | string,
) {
  const headers: FuzzRequest["headers"] = [
    ["authorization", `Bearer ${operatorToken}`],
    ["content-type", typeof body === "string" ? "text/csv" : "application/json"],
  ];
  const text = typeof body === "object" ? JSON.stringify(body) : body;
  const request = { method, path: `/operator${path}`, headers };
  return expectSuccess(client, text === undefined ? request : { ...request, body: text });
}

/** An operator's website with its subscribers. @returns the import of its subscribers, and what makes a client of it */
export async function makeWebsite(
  client: Client,
  operatorToken: string,
  { websiteId, phones, ...settings }: { websiteId: string; phones: string[]; carrier: string; sender?: string },
) {
  const operate = (method: string, path: string, body: object | string) =>
    callOperator(client, operatorToken, method, `/websites/${websiteId}${path}`, body);
  await operate("PUT", "", { name: websiteId, ...settings });
  const { importId } = await operate(
    "POST",
    "/subscribers?everyone=subscribed",
    ["phone_numbers", ...phones].join("\n"),
  );
  const makeClient = async (callbackUrl: string | null): Promise<Issued> =>
    operate("POST", "/clients", { callbackUrl });
  return { importId: String(importId), makeClient };
}

async function expectSuccess(client: Client, request: FuzzRequest) {
  const { status, body } = await client.send(request);
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${body}`);
  return JSON.parse(body);
}

/** Sends a text that must be accepted. @returns the messageId */
export async function sendText(client: Client, sender: Issued, fields: object, key?: string): Promise<string> {
  const body = JSON.stringify({ phone: PHONES[0], text: "x", callbackData: "{}", sendPurpose: "x", ...fields });
  const headers: FuzzRequest["headers"] = [
    ["x-client-id", sender.clientId],
    ["x-client-secret", sender.clientSecret],
    ["content-type", "application/json"],
  ];
  if (key !== undefined) headers.push(["idempotency-key", key]);
  return (await expectSuccess(client, { method: "POST", path: "/text/message/send", headers, body })).messageId;
}

/** @param endpoint of the clients that have one */
export async function makeWebsites(
  client: Client,
  operatorToken: string,
  endpoint: string,
): Promise<Pick<Known, "clients" | "victims" | "messageIds" | "importIds">> {
  const clients: FuzzedClient[] = [];
  const victims: string[] = [];
  const importIds: string[] = [];
  for (let index = 0; index < WEBSITES; index++) {
    const account = ACCOUNTS[index];
    const websiteId = `fuzzed-${index}`;
    const settings = account ? { carrier: account.name, sender: account.sender } : { carrier: "sandbox" };
    const { importId, makeClient } = await makeWebsite(client, operatorToken, {
      websiteId,
      phones: PHONES,
      ...settings,
    });
    clients.push({ websiteId, ...(await makeClient(index % 3 === 0 ? `${endpoint}/callbacks` : null)) });
    importIds.push(importId);
    victims.push((await makeClient(null)).clientId);
  }
  const messageIds: string[] = [];
  const [first] = clients as [FuzzedClient];
  for (let count = 0; count < LINKS; count++) {
    messageIds.push(await sendText(client, first, { clickUrl: CLICK_URLS[count % 2] }));
  }
  return { clients, victims, messageIds, importIds };
}
