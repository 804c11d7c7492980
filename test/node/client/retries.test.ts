// The client that is installed, against a service that fails. No test waits: what a client would wait is noted.
import { describe, expect, it } from "vitest";
import { Textgate, TextgateError } from "../../../client/index.js";

const MESSAGE = { phone: "+12125550100", text: "Hello", callbackData: "{}", sendPurpose: "first-text" };
const LIST = { phone_numbers: ["+12125550100"] };
const SENT = Response.json({ messageId: "the-id" });

type Step = Response | Error;

const error = (status: number, code: number, headers: Record<string, string> = {}, more: object = {}) =>
  Response.json({ code, message: "Because.", details: [], requestId: "r-1", ...more }, { status, headers });

const lost = () => new TypeError("fetch failed", { cause: Object.assign(new Error(""), { code: "ECONNRESET" }) });

/** A client whose service answers as given, one attempt after the other, and then as the last says. */
function clientOf(steps: Step[], options: object = {}) {
  const requests: { url: string; method: string; headers: Headers; body: string; redirect: string }[] = [];
  const waits: number[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const step = steps[Math.min(requests.length, steps.length - 1)] as Step;
    requests.push({ url, headers: new Headers(init.headers), body: String(init.body), ...pick(init) });
    init.signal?.throwIfAborted();
    if (step instanceof Error) throw step;
    return step.clone();
  };
  const client = new Textgate({
    ...{ url: "https://sms.example.com/", clientId: "0".repeat(32), clientSecret: "s".repeat(64) },
    ...{ fetch: fetch as typeof globalThis.fetch },
    wait: async (milliseconds, signal) => {
      waits.push(milliseconds / 1000);
      signal?.throwIfAborted();
    },
    ...options,
  });
  return { client, requests, waits };
}

const pick = ({ method = "", redirect }: RequestInit) => ({ method, redirect: String(redirect) });

async function failureOf(call: Promise<unknown>): Promise<TextgateError> {
  const failure = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(failure).toBeInstanceOf(TextgateError);
  return failure;
}

describe("a call", () => {
  /** docs/api.md: 408, 429 and 5xx may pass, and so may no answer. Everything else is the same the next time. */
  it.each([
    ...[408, 429, 500, 502, 503, 504, 521].map((status) => [status, 2] as const),
    ...[300, 301, 307, 400, 401, 403, 404, 405, 409, 413, 415, 422].map((status) => [status, 1] as const),
  ])("that is answered %i is made %i times", async (status, times) => {
    const { client, requests } = clientOf([error(status, status * 100), SENT]);
    await client.send(MESSAGE).catch(() => {});
    expect(requests).toHaveLength(times);
  });

  it("is repeated as it was, with the same key, until it succeeds", async () => {
    const broken = new Response(new ReadableStream({ start: (it) => it.error(new Error("cut off")) }));
    const page = new Response("<h1>Sign in to the network</h1>");
    const { client, requests } = clientOf([lost(), error(503, 50300), page, broken.clone(), SENT]);
    expect(await client.send(MESSAGE)).toEqual({ messageId: "the-id" });
    expect(requests).toHaveLength(5);
    const [first, ...others] = requests.map(({ headers, ...rest }) => ({ ...rest, headers: [...headers] }));
    for (const other of others) expect(other).toEqual(first);
    expect(requests[0]?.headers.get("Idempotency-Key")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("has another key each time, or the one that is given", async () => {
    const { client, requests } = clientOf([SENT]);
    await client.send(MESSAGE);
    await client.send(MESSAGE);
    await client.sendBulk([MESSAGE], { idempotencyKey: "order-4711" });
    const keys = requests.map(({ headers }) => headers.get("Idempotency-Key"));
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys[2]).toBe("order-4711");
  });

  it("without a text has no key", async () => {
    const { client, requests } = clientOf([Response.json({})]);
    await client.subscriptionStatus(LIST);
    await client.status("an id/with &signs");
    expect(requests.map(({ headers }) => headers.has("Idempotency-Key"))).toEqual([false, false]);
    expect(requests[1]?.url).toBe("https://sms.example.com/text/message/status?messageId=an+id%2Fwith+%26signs");
  });

  it("follows no redirect: another host would get the secret", async () => {
    const moved = new Response("", { status: 308, headers: { Location: "https://sms.example.com/text/message/send" } });
    const { client, requests } = clientOf([moved]);
    const { code, message, outcome } = await failureOf(client.send(MESSAGE));
    expect({ code, outcome }).toEqual({ code: 30800, outcome: "refused" });
    expect(message).toContain("redirected to https://sms.example.com/text/message/send");
    expect(requests[0]?.redirect).toBe("manual");
  });

  it("gives its answer, and names the fields that the service ignored", async () => {
    const names: string[][] = [];
    const answer = Response.json({ messageId: "the-id" }, { headers: { "Ignored-Fields": "sendAT, a%2Cb, %E0%A4%A" } });
    const { client } = clientOf([answer], { onIgnoredFields: (it: string[]) => names.push(it) });
    expect(await client.send(MESSAGE)).toEqual({ messageId: "the-id" });
    expect(names).toEqual([["sendAT", "a,b", "%E0%A4%A"]]);
  });
});

describe("between two attempts", () => {
  it("a client waits longer each time, spread at random, and gives up after five", async () => {
    const { client, requests, waits } = clientOf([error(500, 50000)]);
    await failureOf(client.send(MESSAGE));
    expect(requests).toHaveLength(5);
    expect(waits.map((seconds, index) => seconds >= 2 ** index / 2 && seconds <= 2 ** index)).toEqual(
      Array(4).fill(true),
    );
    const again = clientOf([error(500, 50000)]);
    await failureOf(again.client.send(MESSAGE));
    expect(again.waits).not.toEqual(waits);
  });

  it("a client never comes before Retry-After", async () => {
    const { client, waits } = clientOf([
      error(429, 42900, { "Retry-After": "7" }),
      error(503, 50301, { "Retry-After": "60" }),
      SENT,
    ]);
    await client.send(MESSAGE);
    const [limited = 0, paused = 0] = waits;
    expect([limited >= 7, limited <= 7.5, paused >= 60, paused <= 61]).toEqual([true, true, true, true]);
  });

  it("a client reads a Retry-After that is a date, and none that is neither", async () => {
    const date = new Date(Date.now() + 20_000).toUTCString();
    const { client, waits } = clientOf([
      error(503, 50300, { "Retry-After": date }),
      error(503, 50300, { "Retry-After": "soon" }),
      SENT,
    ]);
    await client.send(MESSAGE);
    const [byDate = 0, bySign = 0] = waits;
    expect([byDate > 18 && byDate < 21, bySign >= 1 && bySign <= 2]).toEqual([true, true]);
  });

  it("a client does not wait for what takes too long", async () => {
    const full = error(503, 50301, { "Retry-After": "600" });
    const { client, requests, waits } = clientOf([full, SENT]);
    const { code, retryAfterSeconds } = await failureOf(client.send(MESSAGE));
    expect({ code, retryAfterSeconds, waits, attempts: requests.length }).toEqual({
      ...{ code: 50301, retryAfterSeconds: 600, waits: [], attempts: 1 },
    });
    const patient = clientOf([full, SENT], { longestWaitSeconds: 600 });
    expect(await patient.client.send(MESSAGE)).toEqual({ messageId: "the-id" });
  });

  it("a caller can end it, and gets the reason of its signal", async () => {
    const ended = new AbortController();
    const { client, requests } = clientOf([error(503, 50300)], {
      wait: async (_: number, signal?: AbortSignal) => {
        ended.abort(new Error("the deploy has begun"));
        signal?.throwIfAborted();
      },
    });
    await expect(client.send(MESSAGE, { signal: ended.signal })).rejects.toThrow("the deploy has begun");
    await expect(client.send(MESSAGE, { signal: ended.signal })).rejects.toThrow("the deploy has begun");
    expect(requests).toHaveLength(1);
  });

  it("a caller can end a wait of the clock, too", async () => {
    const ended = new AbortController();
    const { client, requests } = clientOf([error(503, 50300, { "Retry-After": "60" })], { wait: undefined });
    const call = client.send(MESSAGE, { signal: ended.signal });
    await expect.poll(() => requests.length).toBe(1);
    ended.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });
});

describe("an error", () => {
  /** A message of a bulk request that ended early. */
  const STORED = { field: "messages[0]", message: "is stored", messageId: "the-id" };

  it("has what the service said", async () => {
    const details = [{ field: "phone", message: "must be an E.164 number" }];
    const docUrl = "https://sms.example.com/docs#40001";
    const { client } = clientOf([error(400, 40001, { Link: '</docs#40001>; rel="help"' }, { details })]);
    const failure = await failureOf(client.send(MESSAGE, { idempotencyKey: "k" }));
    expect({ ...failure, message: failure.message }).toEqual({
      ...{ name: "TextgateError", status: 400, code: 40001, details, requestId: "r-1", docUrl },
      ...{ retryAfterSeconds: null, idempotencyKey: "k", outcome: "refused" },
      message: "40001: Because.\nphone: must be an E.164 number",
    });
  });

  it("of a proxy on the way has its status and its words", async () => {
    const { client } = clientOf([
      new Response("<h1>Blocked</h1>", { status: 403, headers: { "X-Request-Id": "ray-1" } }),
    ]);
    const { code, message, requestId, docUrl } = await failureOf(client.status("m"));
    expect({ code, message, requestId, docUrl }).toEqual({
      ...{ code: 40300, message: "40300: <h1>Blocked</h1>", requestId: "ray-1", docUrl: null },
    });
  });

  it.each([{ code: "40001", message: "?" }, { code: 40001 }, [], null, 7, "text"])(
    "that is none of the service's: %j",
    async (body) => {
      const { client } = clientOf([Response.json(body, { status: 400 })]);
      const { code, details } = await failureOf(client.status("m"));
      expect({ code, details }).toEqual({ code: 40000, details: [] });
    },
  );

  it("without an answer names its cause, and the secret nowhere", async () => {
    const { client } = clientOf([lost()]);
    const failure = await failureOf(client.send(MESSAGE));
    expect(failure.message).toBe("POST https://sms.example.com/text/message/send: no answer: fetch failed: ECONNRESET");
    expect(failure.cause).toBeInstanceOf(TypeError);
    expect({ status: failure.status, code: failure.code }).toEqual({ status: null, code: null });
    expect(JSON.stringify(failure) + String(failure.stack)).not.toContain("ssss");
  });

  /** The oracle: the last two columns of the table of errors, and "no response at all is as a 50000". */
  it.each([
    ["refused", [error(400, 40001)]],
    ["refused", [error(429, 42900)]],
    ["refused", [error(429, 42900), error(401, 40101)]],
    ["unknown", [lost()]],
    ["unknown", [error(500, 50000)]],
    ["unknown", [error(408, 40800)]],
    ["unknown", [error(502, 50200)]],
    ["unknown", [new Response("no JSON")]],
    ["unknown", [lost(), error(429, 42900)]],
    ["unknown", [error(500, 50000), error(401, 40101)]],
    ["unknown", [error(429, 42901, {}, { details: [STORED] })]],
    ["unknown", [error(400, 40000, {}, { details: [STORED] }), error(401, 40101)]],
  ])("tells that the outcome is %s", async (outcome, steps) => {
    const { client } = clientOf(steps);
    const failure = await failureOf(client.send(MESSAGE));
    expect(failure.outcome).toBe(outcome);
    expect(failure.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("a client", () => {
  const options = { url: "https://sms.example.com", clientId: "id", clientSecret: "secret" };

  it.each([{ url: "sms.example.com" }, { url: "ftp://sms.example.com" }, { url: "" }, { clientSecret: "two\nlines" }])(
    "refuses what cannot work at once: %j",
    (wrong) => {
      expect(() => new Textgate({ ...options, ...wrong })).toThrow(TypeError);
    },
  );

  it("refuses a key that cannot be sent, and sends nothing", async () => {
    const { client, requests } = clientOf([SENT]);
    await expect(client.send(MESSAGE, { idempotencyKey: "ключ" })).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(0);
  });

  it("does not show its secret when it is printed", () => {
    const client = new Textgate({ ...options, clientSecret: "s3cret" });
    expect(JSON.stringify(client) + Object.values(client).join()).not.toContain("s3cret");
  });

  it("keeps the path of its URL", async () => {
    const { client, requests } = clientOf([SENT], { url: "https://example.com/sms//" });
    await client.send(MESSAGE);
    expect(requests[0]?.url).toBe("https://example.com/sms/text/message/send");
  });
});
