import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FORGED } from "../../src/carriers/carrier.ts";
import type { ApiRequest } from "../../src/http/api-request.ts";
import { readChunks } from "../../src/http/body.ts";
import { RateGate } from "../../src/platform/rate-limiter.ts";
import { objectsWithoutLimit } from "../objects.ts";
import { OPERATOR_TOKEN, SEND, type TestClient, World } from "../world.ts";

const SEND_PATH = "/text/message/send";
const BULK_PATH = "/text/bulk/message/send";
const STATUS_PATH = "/text/subscription/status";
const encode = (text: string) => new TextEncoder().encode(text);

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(["+12125550100"]);
  // The real object takes real time to answer, and here the test holds the time.
  world.deps = { ...world.deps, limiter: new RateGate(objectsWithoutLimit(() => world.deps)) };
});

afterEach(() => {
  vi.useRealTimers();
});

/** The headers of a client's request. */
function headersOf(more: Record<string, string> = {}): Record<string, string> {
  const { clientId, clientSecret } = client;
  return { "x-client-id": clientId, "x-client-secret": clientSecret, "content-type": "application/json", ...more };
}

/** A request whose body the test writes, once the service has begun to read it, and whose time the test holds. */
async function open(path: string, first: string, headers = headersOf()) {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  let answer: Response | undefined;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const answered = world.fetch(path, { method: "POST", headers, body: readable }).then((it) => {
    answer = it;
  });
  await writer.write(encode(first));
  return {
    write: (bytes: Uint8Array) => writer.write(bytes).catch(() => {}),
    abort: () => writer.abort(new Error("the client is gone")),
    /** Lets time pass. @returns the answer, if there is one */
    async after(milliseconds: number): Promise<Response | undefined> {
      await vi.advanceTimersByTimeAsync(milliseconds);
      await Promise.race([answered, scheduler.wait(20)]);
      return answer;
    },
  };
}

const codeOf = async (answer: Response | undefined) => ((await answer?.json()) as { code: number } | undefined)?.code;

describe("a body that stops coming", () => {
  it.each([SEND_PATH, STATUS_PATH, BULK_PATH, "/text/subscribe", "/text/unsubscribe"])(
    "40800: %s waits for ten seconds and no longer",
    async (path) => {
      const request = await open(path, '{"');
      expect(await request.after(9_999)).toBeUndefined();
      const answer = await request.after(1);
      expect(answer?.status).toBe(408);
      expect(await codeOf(answer)).toBe(40800);
    },
  );

  it("40800: nor does the operator's side wait", async () => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "text/csv" };
    const request = await open("/operator/websites/brand/subscribers", "phone_numbers\n", headers);
    expect(await codeOf(await request.after(10_000))).toBe(40800);
    expect(await world.rows("SELECT phone FROM subscriptions")).toEqual([{ phone: 12125550100 }]);
  });

  it("40800: nor does a carrier's door", async () => {
    const ready = { kannel: { readReceipts: async () => FORGED } } as unknown as typeof world.deps.carriers.ready;
    const carriers = { ...world.deps.config.carriers, PUBLIC_ORIGIN: "https://sms.example.com" };
    const config = { ...world.deps.config, carriers };
    world.deps = { ...world.deps, config, carriers: { ready, missing: {} } };
    const request = await open("/carriers/kannel/receipts", "x", {});
    expect(await codeOf(await request.after(10_000))).toBe(40800);
  });

  it("says of a bulk request which messages were stored before", async () => {
    const items = Array.from({ length: 600 }, (_, i) => ({ ...SEND, phone: "+12125550100", text: `no ${i}` }));
    const request = await open(BULK_PATH, '{"messages":[');
    await request.write(encode(items.map((item) => JSON.stringify(item)).join(",")));
    const answer = await request.after(10_000);
    const body = (await answer?.json()) as { code: number; details: object[] };
    expect([body.code, body.details.length]).toEqual([40800, 500]);
    expect(await world.rows("SELECT count(*) AS n FROM messages")).toEqual([{ n: 500 }]);
  });
});

describe("a body that comes in drops", () => {
  it("40800: a byte each second is no body", async () => {
    const request = await open(SEND_PATH, " ");
    let seconds = 0;
    let answer: Response | undefined;
    while (!answer && seconds < 60) {
      void request.write(encode(" "));
      answer = await request.after(1000);
      seconds += 1;
    }
    expect([seconds, await codeOf(answer)]).toEqual([10, 40800]);
  });

  it("40800: nor one that would take minutes, however steadily it comes", async () => {
    const request = await open(STATUS_PATH, " ");
    const piece = encode(" ".repeat(64 * 1024));
    let seconds = 0;
    let answer: Response | undefined;
    while (!answer && seconds < 600) {
      void request.write(piece.slice());
      answer = await request.after(9000);
      seconds += 9;
    }
    // Half a minute, and 8 MB at 256 KB a second.
    expect([seconds, await codeOf(answer)]).toEqual([63, 40800]);
  });

  it("is read in pieces of its own size, not of the sender's", async () => {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    const write = async () => {
      for (let count = 0; count < 3000; count++) await writer.write(encode("x"));
      await writer.close();
    };
    void write();
    const request = new Request("http://localhost/", { method: "POST", body: readable });
    const lengths: number[] = [];
    for await (const piece of readChunks(request as unknown as ApiRequest, 5000)) lengths.push(piece.byteLength);
    expect(lengths).toEqual([3000]);
  });

  it.each([
    ["as it says", { "content-length": "300" }, 4096],
    ["as for any, if it does not say", {}, 64 * 1024],
    ["as for any, if it says more", { "content-length": "200000" }, 64 * 1024],
  ])("gets as much room %s", async (_, headers, room) => {
    const request = new Request("http://localhost/", { method: "POST", headers, body: "x".repeat(300) });
    const rooms: number[] = [];
    for await (const piece of readChunks(request as unknown as ApiRequest, 300_000))
      rooms.push(piece.buffer.byteLength);
    expect(rooms).toEqual([room]);
  });

  it("is not charged for what the service does with its pieces", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const request = new Request("http://localhost/", { method: "POST", body: "x".repeat(200_000) });
    let length = 0;
    for await (const piece of readChunks(request as unknown as ApiRequest, 300_000)) {
      length += piece.byteLength;
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect(length).toBe(200_000);
  });
});

describe("a body that breaks off", () => {
  it("40800: is no fault, and nothing of it is kept", async () => {
    const request = await open(SEND_PATH, JSON.stringify({ ...SEND, phone: "+12125550100" }).slice(0, -1));
    await request.abort();
    expect(await codeOf(await request.after(0))).toBe(40800);
    expect(world.logs.join()).not.toContain("request.failed");
    expect(await world.rows("SELECT 1 FROM messages")).toEqual([]);
  });
});

describe("a body whose headers do not tell the truth", () => {
  const send = (headers: Record<string, string>, body: Uint8Array | ReadableStream, path = SEND_PATH) =>
    world.fetch(path, { method: "POST", headers: headersOf(headers), body });

  it("41300: a declared length does not make it smaller", async () => {
    const { readable, writable } = new IdentityTransformStream();
    const writer = writable.getWriter();
    void writer.write(encode("x".repeat(200_000))).then(
      () => writer.close(),
      () => {},
    );
    expect(await codeOf(await send({ "content-length": "10" }, readable))).toBe(41300);
  });

  it("41501: compressed, it is refused unread, however small", async () => {
    const stream = new Blob([JSON.stringify({ ...SEND, phone: "+12125550100" })]).stream();
    const zipped = new Uint8Array(await new Response(stream.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
    for (const encoding of ["gzip", "GZIP", "br", "deflate", "gzip, identity", "x"]) {
      for (const path of [SEND_PATH, BULK_PATH, STATUS_PATH]) {
        expect([path, await codeOf(await send({ "content-encoding": encoding }, zipped, path))]).toEqual([path, 41501]);
      }
    }
    const imported = await world.fetch("/operator/websites/brand/subscribers", {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "text/csv", "content-encoding": "gzip" },
      body: zipped,
    });
    expect(await codeOf(imported)).toBe(41501);
  });

  it.each(["identity", " Identity ", ""])("may be declared as not compressed: %j", async (encoding) => {
    const body = encode(JSON.stringify({ ...SEND, phone: "+12125550100" }));
    expect((await send({ "content-encoding": encoding }, body)).status).toBe(200);
  });
});

describe("a body that would take far more memory than it has bytes", () => {
  it.each([
    ["arrays", STATUS_PATH, `{"phone_numbers":[${"[],".repeat(2_000_000)}[]]}`],
    ["objects", STATUS_PATH, `{"phone_numbers":[${'{"a":0},'.repeat(1_000_000)}{}]}`],
    ["depth", "/text/unsubscribe", `{"phone_numbers":${"[".repeat(4_000_000)}`],
    ["an item of a bulk request that is deep", BULK_PATH, `{"messages":[${"[".repeat(2_000_000)}`],
    ["an item of a bulk request that is large", BULK_PATH, `{"messages":[[${"0,".repeat(1_000_000)}`],
    ["a field beside a bulk request's messages", BULK_PATH, `{"other":["${"x".repeat(1_000_000)}`],
  ])("40001: %s", async (_, path, body) => {
    expect(await codeOf(await world.post(path, client, body))).toBe(40001);
  });

  it("is refused before it takes seconds of CPU: what is nested is parsed in quadratic time", async () => {
    const nest = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const body = (depth: number) => JSON.stringify({ other: "-", messages: [SEND] }).replace('"-"', nest(depth));
    const answer = await world.post(BULK_PATH, client, body(1000));
    expect(await answer.json()).toMatchObject({
      code: 40001,
      details: [{ field: "body", message: "must not be nested more than 1000 deep" }],
    });
    expect((await world.post(BULK_PATH, client, body(999))).status).toBe(200);
  });

  it("is told apart from one with the longest fields", async () => {
    const long = { ...SEND, phone: "+12125550100", callbackData: `[${"[],".repeat(2700)}[]]`, text: "é".repeat(1600) };
    const escaped = JSON.stringify(long).replaceAll("é", "\\u00e9");
    expect((await world.post(SEND_PATH, client, escaped)).status).toBe(200);
    const answer = await world.post(BULK_PATH, client, `{"messages":[${escaped},${" ".repeat(100_000)}${escaped}]}`);
    expect(((await answer.json()) as { successSent: object[] }).successSent).toHaveLength(2);
  });
});
