import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listFamily, stillRunning, waitFor } from "../harness/processes.ts";
import { type Client, makeClient, type Service, send, startService, TOKEN, untilStatus } from "../harness/service.ts";

const SUBSCRIBERS = Array.from({ length: 500 }, (_, index) => `+1212555${String(index).padStart(4, "0")}`);
/** A number of the sandbox: its message stays SENDING, so that it costs no more than its submission. */
const PHONE = "+12125550003";

let service: Service;
/** Breaks off what it sends. */
let breaker: Client;
/** A client of another website, so that the breaker's requests do not count against its limit. */
let other: Client;

beforeAll(async () => {
  const twilio = { TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`, TWILIO_AUTH_TOKEN: "0".repeat(32) };
  const vars = { ...twilio, PUBLIC_ORIGIN: "https://sms.example.com" };
  service = await startService(vars);
  breaker = await makeClient(service.url, "");
  other = await makeClient(service.url, "", SUBSCRIBERS);
});

afterAll(() => service?.stop());

/** How a client ends a connection in the middle of its body. */
const WAYS = {
  "a reset": (socket: Socket) => socket.resetAndDestroy(),
  "a close": (socket: Socket) => socket.destroy(),
  "a half-close": (socket: Socket) => socket.end(),
} as const;

type Way = keyof typeof WAYS;

/** How the length is told of a body that is a thousand bytes longer than what is sent of it. */
const LENGTHS = {
  "a Content-Length": (begin: string) => `Content-Length: ${begin.length + 1000}\r\n\r\n${begin}`,
  "a chunk": (begin: string) => `Transfer-Encoding: chunked\r\n\r\n${(begin.length + 1000).toString(16)}\r\n${begin}`,
  "the chunks": (begin: string) => `Transfer-Encoding: chunked\r\n\r\n${begin.length.toString(16)}\r\n${begin}\r\n`,
} as const;

type Length = keyof typeof LENGTHS;

interface Endpoint {
  method: string;
  path: string;
  type: string;
  credentials: "client" | "operator" | "none";
}

const JSON_TYPE = "application/json";
const OF_CLIENT = { method: "POST", type: JSON_TYPE, credentials: "client" } as const;
const OF_OPERATOR = { ...OF_CLIENT, credentials: "operator" } as const;
const OPEN = { ...OF_CLIENT, credentials: "none" } as const;

/** Those that read the body. */
const READING: (Endpoint & { route: string })[] = [
  { ...OF_CLIENT, path: "/text/message/send" },
  { ...OF_CLIENT, path: "/text/bulk/message/send" },
  { ...OF_CLIENT, path: "/text/subscription/status" },
  { ...OF_CLIENT, path: "/text/subscribe" },
  { ...OF_CLIENT, path: "/text/unsubscribe" },
  { ...OF_OPERATOR, method: "PUT", path: "/operator/websites/half", route: "/operator/websites/:websiteId" },
  {
    ...OF_OPERATOR,
    type: "text/csv",
    path: "/operator/websites/demo/subscribers",
    route: "/operator/websites/:websiteId/subscribers",
  },
  {
    ...OPEN,
    type: "application/x-www-form-urlencoded",
    path: "/carriers/twilio/inbound",
    route: "/carriers/:carrier/inbound",
  },
].map((endpoint) => ({ route: endpoint.path, ...endpoint }));

/** Those that need no body: their own answer may come before the end that breaks the body off, and 400 follows it. */
const NOT_READING: (Endpoint & { answer: number })[] = [
  { ...OPEN, path: "/text/message/send", answer: 401 },
  { ...OPEN, path: "/l/unknown", answer: 405 },
  { ...OPEN, path: "/health", answer: 405 },
  { ...OPEN, path: "/no/such/path", answer: 404 },
  { ...OPEN, path: "/docs", answer: 405 },
];

const ENDPOINTS: (Endpoint & { answer?: number })[] = [...READING, ...NOT_READING];

function headersOf({ credentials }: Endpoint): string[] {
  if (credentials === "client") return [`X-Client-ID: ${breaker.clientId}`, `X-Client-Secret: ${breaker.clientSecret}`];
  return credentials === "operator" ? [`Authorization: Bearer ${TOKEN}`] : [];
}

/** Sends the beginning of a request and breaks it off. @returns what was answered */
async function breakOff(endpoint: Endpoint, way: Way, length: Length, begin = '{"messages":['): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    answer += text;
  });
  socket.on("error", () => {});
  const ended = new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  await once(socket, "connect");
  const lines = [`${endpoint.method} ${endpoint.path} HTTP/1.1`, `Host: ${hostname}`, `Content-Type: ${endpoint.type}`];
  const request = [...lines, ...headersOf(endpoint), LENGTHS[length](begin)].join("\r\n");
  await new Promise((resolve) => socket.write(request, resolve));
  WAYS[way](socket);
  await ended;
  socket.destroy();
  return answer;
}

/** @returns the id of a message that was accepted */
async function isServed(): Promise<string> {
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
  const { status, messageId } = await send(other, { phone: PHONE });
  expect(status).toBe(200);
  return messageId;
}

const CASES = Object.keys(LENGTHS).flatMap((length) =>
  Object.keys(WAYS).map((way) => ({ way: way as Way, length: length as Length })),
);

describe("an upload that breaks off", () => {
  test.each(CASES)("by $way within $length is the client's own loss, at each endpoint", async ({ way, length }) => {
    const answers = await Promise.all(ENDPOINTS.map((endpoint) => breakOff(endpoint, way, length)));
    for (const [index, answer] of answers.entries()) {
      const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
      const own = ENDPOINTS[index]?.answer;
      const end = way === "a half-close" ? [400] : [];
      const possible = own ? [end, [own, ...end]] : [end];
      expect(possible).toContainEqual(statuses);
    }
    await untilStatus(service.url, await isServed(), "SENDING");
  });

  test("is in the log, and no error", async () => {
    for (const { route } of READING) {
      const line = new RegExp(`"route":"${route}",.*"code":40800,`);
      await waitFor(`${route} in the log`, () => line.test(service.output()));
    }
    expect(service.output()).not.toContain('"level":"error"');
  });
});

describe("a connection is kept", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  afterAll(() => agent.destroy());

  /** @returns the status, and whether the connection is the one of the request before */
  async function ask(method: string, path: string, headers: Record<string, string> = {}, body = "") {
    const request = httpRequest(service.url + path, { agent, method, headers });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return [response.statusCode, request.reusedSocket];
  }

  test.each([
    [401, "a body that is not read", { clientId: "0".repeat(32) }, "/text/message/send", ""],
    [413, "a body that is too large", {}, "/text/message/send", ""],
    [400, "a body that is read in part", {}, "/text/bulk/message/send", '{"messages":[no'],
  ])("after a %i to %s", async (status, _, client, path, begin) => {
    const { clientId, clientSecret } = { ...breaker, ...client };
    const headers = { "content-type": JSON_TYPE, "x-client-id": clientId, "x-client-secret": clientSecret };
    await ask("GET", "/health");
    expect(await ask("POST", path, headers, begin + "x".repeat(3_000_000))).toEqual([status, true]);
    expect(await ask("GET", "/health")).toEqual([200, true]);
  });

  test("while workerd is too busy to answer, for longer than it waits for another request", async () => {
    const workerd = listFamily(service.pid).find(({ command }) => command.includes("workerd serve"))?.pid ?? 0;
    await ask("GET", "/health");
    process.kill(workerd, "SIGSTOP");
    const asked = ask("GET", "/health");
    await wait(6000);
    process.kill(workerd, "SIGCONT");
    expect(await asked).toEqual([200, true]);
  });
});

describe("a request in a form that few clients use", () => {
  /** The target as it stands in the request line. @returns the status, and the JSON of the body */
  async function ask(method: string, target: string) {
    const request = httpRequest(service.url, { method, path: target, agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return [response.statusCode, JSON.parse(Buffer.concat(await response.toArray()).toString())];
  }

  test.each([
    ["http://textgate.test/", "http://textgate.test/docs"],
    ["HTTP://user@TEXTGATE.test:8080", "http://textgate.test:8080/docs"],
    ["http://textgate.test?to=nobody", "http://textgate.test/docs"],
  ])("%s names its host, as for a proxy", async (target, docs) => {
    expect(await ask("GET", target)).toEqual([200, expect.objectContaining({ docs })]);
  });

  test("a path is passed on as it is", async () => {
    expect(await ask("GET", "http://textgate.test/health")).toEqual([200, expect.anything()]);
    expect(await ask("GET", "http://textgate.test//health/../x")).toEqual([404, expect.anything()]);
    expect(await ask("OPTIONS", "*")).toEqual([405, expect.objectContaining({ code: 40500 })]);
  });

  test("Expect: 100-continue is answered before any of the body is sent", async () => {
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify({ phone_numbers: [PHONE], padding: "x".repeat(1_500_000) });
    const client = [`X-Client-ID: ${other.clientId}`, `X-Client-Secret: ${other.clientSecret}`];
    const head = [
      "POST /text/subscription/status HTTP/1.1",
      `Host: ${hostname}`,
      `Content-Type: ${JSON_TYPE}`,
      ...client,
    ];
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding("latin1");
    let answer = "";
    socket.on("data", (text: string) => {
      answer += text;
    });
    socket.write([...head, `Content-Length: ${body.length}`, "Expect: 100-continue", "\r\n"].join("\r\n"));
    await waitFor("an answer to the header", () => answer !== "");
    expect(answer).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(body);
    await waitFor("the answer to the body", () => answer.includes("phoneNumberStatuses"));
    expect(answer).toMatch(/Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    socket.destroy();
  });
});

describe("everybody else is served", () => {
  function bulkBody(count: number): string {
    const phones = Array.from({ length: count }, (_, index) => SUBSCRIBERS[index] ?? `+1646555${1000 + index}`);
    return JSON.stringify({
      messages: phones.map((phone) => ({ phone, text: "hello", callbackData: "", sendPurpose: "journey" })),
    });
  }

  async function sendBulk(): Promise<void> {
    const response = await fetch(`${service.url}/text/bulk/message/send`, {
      method: "POST",
      headers: { "content-type": JSON_TYPE, "x-client-id": other.clientId, "x-client-secret": other.clientSecret },
      body: bulkBody(5000),
    });
    expect(response.status).toBe(200);
    const { successSent } = (await response.json()) as { successSent: unknown[] };
    expect(successSent).toHaveLength(5000);
  }

  test("while uploads break off at each endpoint, bulk requests half sent among them", async () => {
    const family = listFamily(service.pid);
    const half = bulkBody(700).slice(0, -2);
    const breakAtEach = async (runner: number) => {
      for (const [index, endpoint] of ENDPOINTS.entries()) {
        const { way, length } = CASES[(index + runner) % CASES.length] as (typeof CASES)[number];
        await breakOff(endpoint, way, length, endpoint.path.includes("bulk") ? half : undefined);
        await isServed();
      }
    };
    const sendTwice = async () => {
      await sendBulk();
      await sendBulk();
    };
    await Promise.all([sendTwice(), ...Array.from(CASES, (_, runner) => breakAtEach(runner))]);
    expect(stillRunning(family)).toEqual(family);
    expect(service.output()).not.toMatch(/"level":"error"|ended|uncaught/i);
  }, 120_000);
});
