import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { answerOf, type Mode } from "./fixture-answers.ts";

export type { Mode };

const PUBLIC = join(import.meta.dirname, "../../../public");

const FILES: Record<string, string> = {
  "/console": "console.html",
  "/console/app.css": "console/app.css",
  "/console/app.js": "console/app.js",
  "/console/icon.svg": "console/icon.svg",
};

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** The headers that Workers adds to what is under /console, out of public/_headers. */
export function headersOfConsole(): Record<string, string> {
  const section = readFileSync(join(PUBLIC, "_headers"), "utf8").split(/^\/console\*$/m)[1] ?? "";
  const lines = section.split(/^\S/m)[0]?.match(/^ +[^:\n]+: .+$/gm) ?? [];
  return Object.fromEntries(lines.map((line) => /^ +([^:]+): (.+)$/.exec(line)?.slice(1) as [string, string]));
}

/** What the console has asked for: each with its method, its headers and its body. */
export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface FixtureService {
  url: string;
  mode: Mode;
  role: "operator" | "viewer";
  asked: Asked[];
  /** Answers, by method and path, in place of those of the mode. */
  instead: Map<string, { status: number; body: unknown }>;
  /** Whose connection is cut once they have come in. */
  cut: ((asked: Asked) => boolean) | null;
  stop(): Promise<void>;
}

/** Serves the files of the console as Workers does, and invented answers in place of the operator's calls. */
export async function startFixture(): Promise<FixtureService> {
  const headers = headersOfConsole();
  const server = createServer((request, response) => void serve(request, response));
  const service: FixtureService = {
    url: "",
    mode: "data",
    role: "operator",
    asked: [],
    instead: new Map(),
    cut: null,
    stop: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://fixture");
    const file = FILES[pathname];
    if (file) {
      response.writeHead(200, { ...headers, "content-type": TYPES[extname(file)] });
      response.end(readFileSync(join(PUBLIC, file)));
      return;
    }
    let body = "";
    for await (const piece of request) body += String(piece);
    const method = request.method ?? "GET";
    const asked = { method, path: request.url ?? "", headers: request.headers, body };
    service.asked.push(asked);
    if (service.cut?.(asked)) return void request.socket.destroy();
    const given =
      service.instead.get(`${method} ${pathname}`) ??
      answerOf({ method, path: pathname, query: searchParams, mode: service.mode, role: service.role });
    response.writeHead(given.status, { "content-type": "application/json", "x-request-id": REQUEST_ID });
    response.end(given.status === 204 ? undefined : JSON.stringify(given.body));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

export const REQUEST_ID = "7f1c2a9e-55b0-4c0b-9d57-3c1f6e1f0a42";
