/** Requests as some clients write them, byte by byte: `npm start` answers each as the deployed service would, and none with a fault. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { makeClient, operate, send, TOKEN } from "../harness/service.ts";
import { PUBLIC_ORIGIN, type SharedService, sharedService, TWILIO } from "../harness/shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

interface Answer {
  status: number;
  headers: string;
  body: string;
}

const linesOf = (...lines: string[]) => `${lines.join("\r\n")}\r\n\r\n`;

/** The answers to what is written on one connection. The last request must ask to close it. */
async function write(request: string): Promise<Answer[]> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (piece) => {
    text += piece;
  });
  socket.write(request, "latin1");
  await once(socket, "close");
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((one) => !one.startsWith("HTTP/1.1 100"))
    .map((one) => {
      const [headers = "", body = ""] = one.split("\r\n\r\n");
      return { status: Number(headers.slice(9, 12)), headers: headers.toLowerCase(), body };
    });
}

const host = () => `Host: ${new URL(service.url).host}`;
const CLOSE = "Connection: close";

describe("a GET or HEAD that speaks of a body", () => {
  test.each<[string, string[], string]>([
    ["Content-Length: 0", ["Content-Length: 0"], ""],
    ["a body", ["Content-Length: 3"], "abc"],
    ["a body of JSON", ["Content-Type: application/json", "Content-Length: 2"], "{}"],
    ["chunks", ["Transfer-Encoding: chunked"], "3\r\nabc\r\n0\r\n\r\n"],
    ["no chunks", ["Transfer-Encoding: chunked"], "0\r\n\r\n"],
  ])("is answered as if it did not: %s", async (_, lines, body) => {
    const get = linesOf("GET /health HTTP/1.1", host(), ...lines) + body;
    const head = linesOf("HEAD /l/AAAAAAAAAA HTTP/1.1", host(), ...lines) + body;
    const last = linesOf("GET / HTTP/1.1", host(), ...lines, CLOSE) + body;
    const [health, link, welcome, ...others] = await write(get + head + last);
    expect(health).toMatchObject({ status: 200, headers: expect.stringContaining("x-request-id") });
    expect(JSON.parse(health?.body ?? "").status).toBe("ok");
    expect(link).toMatchObject({ status: 404, headers: expect.stringContaining("x-request-id"), body: "" });
    expect(JSON.parse(welcome?.body ?? "").service).toBe("Textgate");
    expect(others).toEqual([]);
  });

  test("and waits to be told that it may send it is answered too", async () => {
    const lines = ["Expect: 100-continue", "Content-Length: 3", CLOSE];
    const [answer] = await write(`${linesOf("GET /health HTTP/1.1", host(), ...lines)}abc`);
    expect(answer?.status).toBe(200);
  });

  test("of another method still has it", async () => {
    const body = '{"messageIds":';
    const lines = ["Content-Type: application/json", `Content-Length: ${body.length}`, CLOSE];
    const [answer] = await write(linesOf("POST /text/message/statuses HTTP/1.1", host(), ...lines) + body);
    expect(answer?.status).toBe(401);
    expect(JSON.parse(answer?.body ?? "").code).toBe(40100);
  });
});

describe("a request to no host", () => {
  test.each([
    "127.0.0.999",
    "a b",
    "",
    "a/b",
    "a?b",
    "a#b",
    "user@a",
    "a:b",
    "a:99999",
    "[::1",
    "%zz",
    "a<b",
    "a\\b",
    "~a",
    "b\xfccher.example",
    "a\r\nHost: b",
  ])("is told so, with our code: %j", async (given) => {
    for (const method of ["GET", "POST"]) {
      const lines = [`Host: ${given}`, "Content-Length: 0", CLOSE];
      const [answer, ...others] = await write(linesOf(`${method} /health HTTP/1.1`, ...lines));
      expect(others).toEqual([]);
      expect(answer).toMatchObject({ status: 400, headers: expect.stringContaining("application/json") });
      const { code, message, details, requestId } = JSON.parse(
        answer?.body.replace(/^[0-9a-f]+\r\n|\r\n0$/g, "") ?? "",
      );
      expect([code, details[0].field]).toEqual([40001, "Host"]);
      expect(message).toContain("Host: must be one host, such as 127.0.0.1:8787; this request has ");
      expect(answer?.headers).toContain(`x-request-id: ${requestId}`);
    }
  });

  test("names none at all, or in its target", async () => {
    const requests = ["GET /health HTTP/1.1", "GET http://127.0.0.999/health HTTP/1.1"];
    for (const line of requests) {
      const [answer] = await write(linesOf(line, CLOSE));
      expect([line, answer?.status]).toEqual([line, 400]);
      expect(answer?.body).toContain('"code":40001');
    }
  });

  test.each(["localhost", "sms.example.com:443", "[::1]:8787", "a_b.example", "x."])(
    "is not one to %s",
    async (given) => {
      const [answer] = await write(linesOf("GET /health HTTP/1.1", `Host: ${given}`, CLOSE));
      expect(answer?.status).toBe(200);
    },
  );
});

describe("a path with two slashes in front", () => {
  test("sends, as a base URL that ends in a slash makes it", async () => {
    const client = await makeClient(`${service.url}`, "", ["+12125550003"]);
    const { status } = await send({ ...client, url: `${service.url}/` }, { phone: "+12125550003" });
    expect(status).toBe(200);
  });

  test.each([
    "//docs",
    "//docs/operator",
    "//docs.html",
    "//docs/page.css",
    "///docs",
    "//openapi.json/",
    "//_headers",
    "//sms.example.com/docs",
    "//.dev.vars",
  ])("is no way to a file, and leads nowhere else: %s", async (path) => {
    const [answer] = await write(linesOf(`GET ${path} HTTP/1.1`, host(), CLOSE));
    expect(answer?.status).toBe(path.includes("openapi") ? 200 : 404);
    expect(answer?.headers).not.toContain("location:");
    expect(answer?.headers).toContain("x-request-id");
  });

  test("is guarded where the path is the operator's", async () => {
    for (const path of ["//operator/websites", "///operator/health", "//operator/people/+12125550003"]) {
      const [refused] = await write(linesOf(`GET ${path} HTTP/1.1`, host(), CLOSE));
      expect([path, refused?.status]).toEqual([path, 401]);
      const [wrong] = await write(linesOf(`GET ${path} HTTP/1.1`, host(), "Authorization: Bearer x", CLOSE));
      expect([path, wrong?.status]).toEqual([path, 401]);
    }
    const [answer] = await write(
      linesOf("GET //operator/websites HTTP/1.1", host(), `Authorization: Bearer ${TOKEN}`, CLOSE),
    );
    expect(answer?.status).toBe(200);
  });
});

/** Not with the others in test/http: workerd warns of each header that a Worker makes with more than ASCII. */
test.each(["\xe9", "\xc3\xa9"])("an Idempotency-Key with more than ASCII is refused: %j", async (key) => {
  const { clientId, clientSecret } = await makeClient(service.url, "", ["+12125550003"]);
  const body = JSON.stringify({ phone: "+12125550003", text: "hello", callbackData: "", sendPurpose: "raw" });
  const credentials = [`X-Client-ID: ${clientId}`, `X-Client-Secret: ${clientSecret}`, `Idempotency-Key: ${key}`];
  const length = ["Content-Type: application/json", `Content-Length: ${body.length}`, CLOSE];
  const [answer] = await write(linesOf("POST /text/message/send HTTP/1.1", host(), ...credentials, ...length) + body);
  expect([answer?.status, answer?.body]).toEqual([400, expect.stringContaining('"code":40001')]);
});

test("credentials are read without a no-break space around them, which a page may have", async () => {
  const { clientId, clientSecret } = await makeClient(service.url, "", ["+12125550004"]);
  const space = "\xc2\xa0";
  const credentials = [`X-Client-ID: ${clientId}${space}`, `X-Client-Secret: ${space}${clientSecret}${space}`];
  const [answer] = await write(linesOf("GET /text/events HTTP/1.1", host(), ...credentials, CLOSE));
  expect(answer?.status).toBe(200);
});

describe("a text from Twilio", () => {
  const QUERIES = ["?brand=it's", '?brand="it"', "?brand=<it>", "?brand=it%27s", "?brand=[x]|^`{}", ""];

  test.each(QUERIES)("counts where the URL that Twilio was given, and signs, ends in %s", async (query) => {
    // A sender of its own: a text to a shared one reaches the website alone that texted last.
    const sender = `+1212555000${QUERIES.indexOf(query)}`;
    const { clientId } = await makeClient(service.url, "", ["+12125550100"]);
    const { websiteId } = await operate(service.url, "GET", `/clients/${clientId}`);
    await operate(service.url, "PUT", `/websites/${websiteId}`, { carrier: "twilio", sender });
    for (const path of ["/carriers/twilio/inbound", "//carriers/twilio/inbound"]) {
      const fields = { Body: "hello", From: "+12125550100", MessageSid: `SM${path}${query}`, To: sender };
      const signed = PUBLIC_ORIGIN + path + query + Object.entries(fields).flat().join("");
      const body = new URLSearchParams(fields).toString();
      const head = (url: string) => {
        const signature = createHmac("sha1", TWILIO.TWILIO_AUTH_TOKEN).update(url).digest("base64");
        const type = "Content-Type: application/x-www-form-urlencoded";
        const lines = [host(), type, `X-Twilio-Signature: ${signature}`, `Content-Length: ${body.length}`, CLOSE];
        return linesOf(`POST ${path}${query} HTTP/1.1`, ...lines);
      };
      const [answer] = await write(head(signed) + body);
      expect([path, answer?.status]).toEqual([path, 200]);
      const [forged] = await write(head(`${signed}x`) + body);
      expect([path, forged?.status]).toEqual([path, 403]);
    }
    const { texts } = await operate(service.url, "GET", `/websites/${websiteId}/inbound`);
    expect(texts.map(({ text }: { text: string }) => text)).toEqual(["hello", "hello"]);
  });
});
