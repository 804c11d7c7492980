/**
 * Each platform's webhook as its public documents describe it: the body that its template in docs/platforms.md renders, its headers,
 * and what it repeats. The documents, as read in November 2026:
 * - Klaviyo: "How to add a webhook action to a flow" and "Understanding webhook status codes", revision 2026-01-15.
 * - Braze: "Creating a webhook", section "Errors, retry logic, and timeouts", and "Webhook object" (both undated).
 * - Salesforce Marketing Cloud: "Journey Builder - Custom Activity Examples", section "Dedupe of requests", 2020-10-01.
 * - The same, AMPscript: the reference of `HTTPPostWithRetry` (undated). It does not say what it repeats.
 * - Ometria: "Using webhooks in automation campaigns" (undated). It says nothing of repetitions.
 * - Iterable: "Journey Webhooks" (undated). It says that responses are discarded, and nothing that we could read of repetitions.
 * - Customer.io: "Send and receive data with webhooks" (undated), and "Journey Webhook Headers & Documentation", 2023-10-25.
 * - HubSpot: "Custom code actions" (2026-03), and "Webhook information" (2023-12-12).
 */
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { close, listen, readBody } from "../harness/loopback.ts";
import { type Client, makeClient, operate, untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import { type Person, render, renderJinja, runAmpscript, runCustomCode } from "./platform-templates.ts";

const ADA = { phone: "+12125550100", email: "ada@example.com" };
const JSON_TYPE = ["Content-Type", "application/json"];

/** What a platform makes of an attempt: a status, or that no answer came. */
type Outcome = number | "no answer";

interface Platform {
  name: string;
  /** Names and values in turn, besides the credentials. */
  headers: string[];
  /** As the template renders it for one person. */
  body: string;
  /** In whole, with the first. */
  attempts: number;
  repeats: Outcome[];
  /** What keeps a repetition from being a second text. */
  guard: "Idempotency-Key" | "duplicateWindowHours";
}

/** What breaks a JSON string that nobody has escaped, and what does not. */
const NAME = 'Bill "Buzz" O\'Ada\\Lovelace\n💬';

const BILL: Person = { ...ADA, firstName: NAME };

/** Names and values in turn; the credentials are those of the test. */
const inTurn = (headers: Record<string, string>) =>
  Object.entries(headers).flatMap(([name, value]) => (/^x-client/i.test(name) ? [] : [name, value]));

const ampscript = runAmpscript("Salesforce Marketing Cloud", BILL, "ada-1");
const hubspot = await runCustomCode("HubSpot", BILL, "ada-1");

const PLATFORMS: Platform[] = [
  {
    name: "Klaviyo",
    // It sets the type itself, and a second one where the form has it too.
    headers: [...JSON_TYPE, ...JSON_TYPE],
    body: render("Klaviyo", { ...ADA, phone: "", firstName: NAME }),
    attempts: 18,
    repeats: [429, 500, 502, 503],
    guard: "duplicateWindowHours",
  },
  {
    name: "Ometria",
    headers: JSON_TYPE,
    body: renderJinja("Ometria", BILL),
    attempts: 2,
    // Nothing is said.
    repeats: ["no answer", 400, 408, 429, 500, 502, 503, 504],
    guard: "duplicateWindowHours",
  },
  {
    name: "Braze",
    headers: [...JSON_TYPE, "Idempotency-Key", "6f1c0d8e-dispatch.ada-1"],
    body: render("Braze", { ...ADA, firstName: NAME }),
    attempts: 6,
    repeats: ["no answer", 408, 429, 500, 502, 503, 504],
    guard: "Idempotency-Key",
  },
  {
    name: "Salesforce Marketing Cloud",
    // Its custom activity calls a service of the client's own, which passes the inArguments on under these two ids.
    headers: [...JSON_TYPE, "Idempotency-Key", "0d3b9a4e-activity.77c2f1aa-instance"],
    body: JSON.stringify({
      ...ADA,
      text: 'Brand: Happy Birthday, "Ada"',
      mediaUrl: null,
      callbackData: "{}",
      sendPurpose: "journey_1",
    }),
    attempts: 6,
    repeats: ["no answer", 500, 502, 503, 504],
    guard: "Idempotency-Key",
  },
  {
    name: "Salesforce Marketing Cloud, AMPscript",
    headers: inTurn(ampscript.headers),
    body: ampscript.body,
    attempts: 4,
    repeats: ["no answer", 400, 408, 429, 500, 502, 503, 504],
    guard: "Idempotency-Key",
  },
  {
    name: "Iterable",
    headers: ["Content-Type", "application/json; charset=utf-8"],
    body: render("Iterable", { ...ADA, firstName: NAME }),
    attempts: 2,
    // Nothing is said: it may repeat whatever it likes.
    repeats: ["no answer", 400, 408, 429, 500, 502, 503, 504],
    guard: "duplicateWindowHours",
  },
  {
    name: "Customer.io",
    headers: [...JSON_TYPE, "X-CIO-Idempotency-Key", "a1b2c3", "X-CIO-Delivery-ID", "RPILAgABcRhIBqbp6Z"],
    body: render("Customer.io", { ...ADA, phone: ` ${ADA.phone} `, firstName: NAME }),
    attempts: 10,
    // Nothing is said of statuses either.
    repeats: ["no answer", 429, 500, 502, 503, 504],
    guard: "duplicateWindowHours",
  },
  {
    name: "HubSpot",
    headers: inTurn(hubspot.headers),
    body: hubspot.body,
    attempts: 10,
    repeats: [429, 500, 502, 503, 504],
    guard: "Idempotency-Key",
  },
];

let service: SharedService;
/** What is done to the next request of a client, by its id. */
const ways = new Map<string, "lose the answer" | number>();
/** Stands between the platforms and the service. */
const road = createServer(async (incoming, outgoing) => {
  const clientId = String(incoming.headers["x-client-id"]);
  const way = ways.get(clientId);
  ways.delete(clientId);
  const body = await readBody(incoming);
  if (typeof way === "number") return outgoing.writeHead(way, { "retry-after": "1" }).end("{}");
  const answer = await post(service.url + incoming.url, incoming.rawHeaders, body);
  if (way === "lose the answer") return outgoing.destroy();
  outgoing.writeHead(answer.status).end(answer.body);
});
let roadUrl: string;

beforeAll(async () => {
  service = await sharedService();
  roadUrl = (await listen(road)).origin;
});

afterAll(() => close(road));

function post(url: string, headers: string[], body: Buffer | string): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const outgoing = httpRequest(url, { method: "POST", headers, setHost: false, agent: false });
  outgoing.on("error", reject).on("response", async (response: IncomingMessage) => {
    resolve({ status: response.statusCode ?? 0, body: (await readBody(response)).toString() });
  });
  outgoing.end(body);
  return promise;
}

/** A client of a website as docs/platforms.md sets it up for a platform. */
function makeClientOf({ guard }: Platform) {
  const duplicateWindowHours = guard === "duplicateWindowHours" ? 24 : null;
  return makeClient(service.url, "", [`${ADA.phone},${ADA.email},true`], { duplicateWindowHours });
}

/** As the platform does it, without its pauses. @returns what became of each attempt */
async function run(platform: Platform, client: Client, body = platform.body) {
  const credentials = ["X-Client-ID", client.clientId, "X-Client-Secret", client.clientSecret];
  const headers = ["Host", "sms.example.com", ...credentials, ...platform.headers];
  headers.push("Content-Length", String(Buffer.byteLength(body)));
  const outcomes: Outcome[] = [];
  const answers: { messageId?: string }[] = [];
  for (;;) {
    const answer = await post(`${roadUrl}/text/message/send`, headers, body).catch(() => undefined);
    const outcome = answer?.status ?? "no answer";
    outcomes.push(outcome);
    answers.push(JSON.parse(answer?.body ?? "{}"));
    const isDone =
      Number(outcome) < 300 || !platform.repeats.includes(outcome) || outcomes.length === platform.attempts;
    if (isDone) return { outcomes, messageId: answers.at(-1)?.messageId ?? "" };
  }
}

/** How many messages the website has accepted. */
async function countAccepted(websiteId: string): Promise<number> {
  // Midnight may come while the test runs.
  const [yesterday, today] = [-1, 0].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  const { total } = await operate(service.url, "GET", `/websites/${websiteId}/report?from=${yesterday}&to=${today}`);
  return total.accepted;
}

test("the templates in other languages are JSON whatever a person is called", async () => {
  const nobody = { ...BILL, firstName: "" };
  const textOf = (body: string) => JSON.parse(body).text;
  expect(textOf(renderJinja("Ometria", BILL))).toBe(`Brand: Happy Birthday, ${NAME}!`);
  expect(textOf(renderJinja("Ometria", nobody))).toBe("Brand: Happy Birthday, you!");
  expect(textOf(ampscript.body)).toBe("Brand: Happy Birthday, Bill 'Buzz' O'AdaLovelace💬!");
  expect(textOf(hubspot.body)).toBe(`Brand: Happy Birthday, ${NAME}!`);
  expect(textOf((await runCustomCode("HubSpot", nobody, "ada-1")).body)).toBe("Brand: Happy Birthday, you!");
});

test.each([
  ["Klaviyo", `Brand: Happy Birthday, ${NAME}!`],
  ["Braze", `Brand: Happy Birthday, ${NAME}!`],
  ["Iterable", "Brand: Happy Birthday to you!"],
  ["Customer.io", "Brand: Happy Birthday, Bill 'Buzz' O'AdaLovelace💬!"],
])("the template of %s is JSON whatever a person is called", (section, text) => {
  const person = { ...ADA, phone: "", firstName: NAME };
  const body = render(section, person);
  expect(JSON.parse(body).text).toBe(text);
  expect(JSON.parse(render(section, { ...person, firstName: "" })).text).not.toContain("undefined");
});

describe.concurrent.each(PLATFORMS)("$name", (platform) => {
  test("sends its body and headers as they are, and the text is delivered", async () => {
    const client = await makeClientOf(platform);
    const { outcomes, messageId } = await run(platform, client);
    expect(outcomes).toEqual([200]);
    const message = await untilStatus(service.url, messageId, "DELIVERED");
    const { text, callbackData, sendPurpose } = JSON.parse(platform.body);
    expect(message).toMatchObject({ phone: ADA.phone, callbackData, sendPurpose });
    expect(message.text.startsWith(text)).toBe(true);
  });

  test("repeats a text whose answer it has lost, or does not: it goes out once", async () => {
    const client = await makeClientOf(platform);
    ways.set(client.clientId, "lose the answer");
    const lost = await run(platform, client);
    // What the platform does not repeat by itself, a person does, who sees a failed webhook.
    const { outcomes, messageId } = await run(platform, client);
    expect([lost.outcomes[0], outcomes]).toEqual(["no answer", [200]]);
    if (platform.repeats.includes("no answer")) expect(lost.messageId).toBe(messageId);
    expect(await untilStatus(service.url, messageId, "DELIVERED")).toMatchObject({ attempts: 1 });
    expect(await countAccepted(client.websiteId)).toBe(1);
  });

  test("comes again after what may pass, and its text goes out once", async () => {
    const client = await makeClientOf(platform);
    for (const status of [429, 500, 503]) {
      ways.set(client.clientId, status);
      const { outcomes } = await run(platform, client);
      expect(outcomes).toEqual(platform.repeats.includes(status) ? [status, 200] : [status]);
    }
    expect(await countAccepted(client.websiteId)).toBe(1);
  });

  test("drops what its template has broken", async () => {
    const client = await makeClientOf(platform);
    const broken = platform.body.replace('"text"', '"text');
    const { outcomes } = await run(platform, client, broken);
    expect(outcomes).toEqual(platform.repeats.includes(400) ? Array(platform.attempts).fill(400) : [400]);
    expect(await countAccepted(client.websiteId)).toBe(0);
  });

  test("a second text to the same person, with other words, is another text", async () => {
    const client = await makeClientOf(platform);
    const other = {
      ...platform,
      headers: platform.headers.map((it) => it.replace("ada-1", "ada-2").replace("77c2", "88d3")),
    };
    const first = await run(platform, client);
    const second = await run(other, client, platform.body.replace("Happy Birthday", "One more thing"));
    expect([first.outcomes, second.outcomes]).toEqual([[200], [200]]);
    expect(second.messageId).not.toBe(first.messageId);
    expect(await countAccepted(client.websiteId)).toBe(2);
  });
});
