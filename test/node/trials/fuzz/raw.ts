// What no HTTP client sends: requests that are broken as such, and bodies that stop. One connection for each.
import { connect } from "node:net";
import type { Answers } from "./answers.ts";
import type { Dice } from "./dice.ts";
import type { FuzzedClient, Known } from "./requests.ts";

/** After this, a connection on which nothing comes is closed: the request has no end. */
const PATIENCE_MILLISECONDS = 1500;

const CONNECTIONS = 16;

export interface RawResult {
  /** How many answers of the Worker, and of workerd itself before the Worker was asked, had which status. */
  byWorker: Map<number, number>;
  byServer: Map<number, number>;
  /** Connections that were closed, or left open, without an answer. */
  unanswered: number;
}

/** Sends broken requests. An answer of the Worker must be no 5xx; what workerd refuses by itself is only counted. */
export async function sendRaw(url: URL, dice: Dice, known: Known, answers: Answers, count: number): Promise<RawResult> {
  const result: RawResult = { byWorker: new Map(), byServer: new Map(), unanswered: 0 };
  let left = count;
  const runner = async () => {
    while (left-- > 0)
      note(await exchange(url, brokenRequest(dice, known), PATIENCE_MILLISECONDS, true), answers, result);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, runner));
  return result;
}

function note({ text }: Exchange, answers: Answers, result: RawResult): void {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
  if (!status) {
    result.unanswered += 1;
    return;
  }
  const isOurs = /^x-request-id: /im.test(text);
  const counts = isOurs ? result.byWorker : result.byServer;
  counts.set(status, (counts.get(status) ?? 0) + 1);
  if (isOurs && status >= 500) answers.fail(`broken HTTP: ${text.slice(0, 500)}`);
}

interface Exchange {
  text: string;
  milliseconds: number;
}

/** @param isWhole nothing more will be sent: the service is told so */
async function exchange(url: URL, bytes: Buffer, patience: number, isWhole: boolean): Promise<Exchange> {
  const started = performance.now();
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host: url.hostname, port: Number(url.port), allowHalfOpen: true }, () => {
      if (isWhole) socket.end(bytes);
      else socket.write(bytes);
    });
    const timer = setTimeout(() => socket.destroy(), patience);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (!isWhole && text.includes("}")) socket.destroy();
    });
    socket.on("end", () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ text, milliseconds: performance.now() - started });
    });
  });
}

const HEADERS = [
  ...[
    "Content-Length: -1",
    "Content-Length: 5, 6",
    "Content-Length: 99999999999999999999",
    "Content-Length: 0x10",
    "Content-Length:",
  ],
  ...[
    "Transfer-Encoding: chunked, chunked",
    "Transfer-Encoding: gzip",
    "Transfer-Encoding : chunked",
    "Host: a\r\nHost: b",
  ],
  ...[
    "X-Nul: a\u0000b",
    "X-Folded: a\r\n b",
    ": no name",
    "no colon",
    `X-Long: ${"a".repeat(70_000)}`,
    "Expect: 100-continue",
  ],
  ...[
    "Upgrade: websocket\r\nConnection: Upgrade",
    "Connection: close, keep-alive",
    "Host: a b<>",
    "Host: ",
    "\u0001: x",
  ],
];
const LINES = [
  ...[
    "GET",
    "GET /",
    "GET / HTTP/9.9",
    "GET  /  HTTP/1.1",
    "get / http/1.1",
    "\r\n\r\nGET / HTTP/1.1",
    "GET /\u0000 HTTP/1.1",
  ],
  ...[
    "OPTIONS * HTTP/1.1",
    "GET http://evil.example/ HTTP/1.1",
    "FOO / HTTP/1.1",
    "GET /operator/websites HTTP/1.0",
    "\u0016\u0003\u0001",
  ],
  ...["GET /\xff\xfe HTTP/1.1", "POST /text/message/send?\u0001 HTTP/1.1", `GET /${"a".repeat(70_000)} HTTP/1.1`],
];
const CHUNKS = [
  "zz\r\n{}\r\n0\r\n\r\n",
  "5\r\n{}\r\n0\r\n\r\n",
  "fffffffff\r\n{}",
  "2;x=y\r\n{}\r\n0\r\nX: y\r\n\r\n",
  "-1\r\n\r\n",
  "2\r\n{}",
];

/** A request that is right, with some of it broken. */
function brokenRequest(dice: Dice, known: Known): Buffer {
  const body = '{"phone":"+12125550100","text":"raw","callbackData":"","sendPurpose":"raw"}';
  const isChunked = dice.chance(0.3);
  const length = dice.chance(0.5) ? body.length : dice.below(3 * body.length);
  const lines = [
    dice.chance(0.7) ? "POST /text/message/send HTTP/1.1" : dice.pick(LINES),
    ...(dice.chance(0.9) ? ["Host: 127.0.0.1"] : []),
    ...right(dice.pick(known.clients)),
    isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
    ...(dice.chance(0.5) ? [dice.pick(HEADERS)] : []),
  ];
  const sent = isChunked ? (dice.chance(0.5) ? dice.pick(CHUNKS) : `4b\r\n${body}\r\n0\r\n\r\n`) : body;
  const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${sent}`, "latin1");
  return dice.chance(0.5) ? bytes : withErrors(dice, bytes);
}

/** A few bytes altered, or the end cut off. */
function withErrors(dice: Dice, bytes: Buffer): Buffer {
  if (dice.chance(0.3)) return bytes.subarray(0, dice.below(bytes.length));
  for (let count = 1 + dice.below(4); count > 0; count--) bytes[dice.below(bytes.length)] = dice.below(256);
  return bytes;
}

function right({ clientId, clientSecret }: FuzzedClient): string[] {
  return [`X-Client-ID: ${clientId}`, `X-Client-Secret: ${clientSecret}`, "Content-Type: application/json"];
}

const STALLED_PATIENCE_MILLISECONDS = 20_000;

export interface Stalled {
  status: number;
  seconds: number;
}

/** Bodies that are declared and do not come. @returns the statuses, and after how many seconds each came */
export async function stall(url: URL, known: Known): Promise<Stalled[]> {
  const paths = ["/text/message/send", "/text/bulk/message/send", "/text/subscription/status"];
  return Promise.all(
    paths.map(async (path) => {
      const [client] = known.clients as [FuzzedClient];
      const lines = [`POST ${path} HTTP/1.1`, "Host: 127.0.0.1", ...right(client), "Content-Length: 1000", "", "{"];
      const bytes = Buffer.from(lines.join("\r\n"));
      const { text, milliseconds } = await exchange(url, bytes, STALLED_PATIENCE_MILLISECONDS, false);
      return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), seconds: milliseconds / 1000 };
    }),
  );
}
