/** What the log says, and what it must never say. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withoutQuotations } from "../src/domain/messages/carrier-words.ts";
import { maskNumbers, toMaskedJson } from "../src/domain/operations/mask.ts";
import { log } from "../src/log.ts";
import { handleRequest } from "../src/router.ts";
import { ADA, CarrierWorld, mockSockets } from "./carriers/carrier-world.ts";
import { kannel } from "./carriers/kannel.ts";
import { telnyx } from "./carriers/telnyx.ts";
import { twilio } from "./carriers/twilio.ts";
import { failingDatabase } from "./failing-database.ts";
import { OPERATOR_TOKEN, SEND, type TestClient, World } from "./world.ts";

mockSockets();

afterEach(() => {
  vi.restoreAllMocks();
});

const linesOf = (world: World) => world.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe("a line", () => {
  it.each([
    ["info", "log"],
    ["warn", "warn"],
    ["error", "error"],
  ] as const)("of level %s is written by console.%s", (level, method) => {
    const written: string[] = [];
    for (const name of ["log", "info", "warn", "error", "debug"] as const) {
      vi.spyOn(console, name).mockImplementation((line) => written.push(`${name} ${line}`));
    }
    log(level, "sweep");
    expect(written).toEqual([
      expect.stringMatching(`^${method} {"level":"${level}","event":"sweep","time":"\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z"}$`),
    ]);
  });
});

describe("the line of a request", () => {
  let world: World;
  let client: TestClient;
  const last = () => linesOf(world).findLast(({ event }) => event === "request");

  beforeEach(async () => {
    world = await World.create();
    client = await world.brand([ADA]);
    world.logs.length = 0;
    world.logEachRequest();
  });

  it("says who sent what, and how it ended", async () => {
    const messageId = await world.send(client, { phone: ADA });
    expect(linesOf(world)).toEqual([
      {
        level: "info",
        event: "request",
        requestId: UUID,
        method: "POST",
        route: "/text/message/send",
        websiteId: "brand",
        clientId: client.clientId,
        messageId,
        status: 200,
        milliseconds: 0,
      },
    ]);
  });

  it("has the id that was answered, and the time that it took", async () => {
    const { send } = world.deps.limiter;
    world.deps.limiter.send = async (...given) => {
      world.now += 25;
      return send.apply(world.deps.limiter, given);
    };
    const answer = await world.post("/text/message/send", client, { ...SEND, phone: ADA });
    expect(last()).toMatchObject({ requestId: answer.headers.get("x-request-id"), milliseconds: 25 });
  });

  it.each([
    ["a wrong field", "/text/message/send", {}, 400, { code: 40001, websiteId: "brand" }],
    ["a wrong path", "/text/nothing", {}, 404, { code: 40400, route: null }],
    ["a wrong method", "/text/message/status", {}, 405, { code: 40500, route: null }],
  ])("has the code of %s", async (_, path, body, status, fields) => {
    await world.post(path, client, body);
    expect(last()).toMatchObject({ level: "info", status, clientId: client.clientId, ...fields });
  });

  it("has the root as its route", async () => {
    await world.fetch("/");
    expect(last()).toMatchObject({ route: "/", status: 200 });
  });

  it("names a client whose secret is wrong, and no website", async () => {
    await world.post("/text/message/send", { ...client, clientSecret: "0".repeat(64) }, {});
    expect(last()).toMatchObject({ clientId: client.clientId, status: 401, code: 40101 });
    expect(last()).not.toHaveProperty("websiteId");
  });

  it("is an error when a store does not answer, as is the line that says why", async () => {
    // The first request of a client stores that it was used.
    await world.send(client, { phone: ADA });
    world.logs.length = 0;
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, Number.POSITIVE_INFINITY) };
    await world.post("/text/message/send", client, { ...SEND, phone: ADA });
    expect(linesOf(world)).toMatchObject([
      { event: "store.unavailable", route: "/text/message/send", error: expect.stringContaining("connection lost") },
      { event: "request", level: "error", status: 503, code: 50300 },
    ]);
  });

  it("is an error after a fault of our own", async () => {
    world.deps = { ...world.deps, newId: () => JSON.parse("") };
    await world.post("/text/message/send", client, { ...SEND, phone: ADA });
    expect(linesOf(world)).toMatchObject([
      { event: "request.failed", route: "/text/message/send", error: expect.stringContaining("SyntaxError") },
      { event: "request", level: "error", status: 500, code: 50000 },
    ]);
  });

  it("has the message that was asked for, and no id that is unknown", async () => {
    const messageId = await world.send(client, { phone: ADA });
    await world.operator("GET", `/messages/${messageId}`);
    expect(last()).toMatchObject({ route: "/operator/messages/:messageId", messageId, status: 200 });
    await world.operator("GET", `/messages/${ADA}`);
    expect(last()).toMatchObject({ route: "/operator/messages/:messageId", status: 404 });
    expect(last()).not.toHaveProperty("messageId");
  });

  it("counts the messages of a bulk request", async () => {
    const messages = [
      { ...SEND, phone: ADA },
      { ...SEND, phone: "1" },
    ];
    await world.post("/text/bulk/message/send", client, { messages });
    expect(last()).toMatchObject({ route: "/text/bulk/message/send", stored: 1, failed: 1, status: 200 });
  });
});

describe("receipts, and requests that anyone can make in any number", () => {
  let world: World;
  let client: TestClient;
  const requests = () => linesOf(world).filter(({ event }) => event === "request");
  const wrong = () => ({ ...client, clientSecret: "0".repeat(64) });

  beforeEach(async () => {
    world = await World.create();
    client = await world.brand([ADA]);
    world.logs.length = 0;
  });

  it("have a line for one in a hundred, which says so", async () => {
    let drawn = 0;
    world.deps = { ...world.deps, random: () => (drawn++ % 100) / 100 };
    for (let n = 0; n < 300; n++) await world.fetch("/health");
    expect(requests()).toMatchObject(new Array(3).fill({ route: "/health", status: 200, sampled: 100 }));
  });

  it.each<[string, number, () => Promise<Response>]>([
    ["an unknown path", 404, () => world.fetch("/nothing")],
    ["a wrong method", 405, () => world.fetch("/text/subscribe")],
    ["an unknown link", 404, () => world.fetch("/l/AAAAAAAAAA")],
    ["no credentials", 401, () => world.fetch("/text/events")],
    ["a wrong secret", 401, () => world.post("/text/message/send", wrong(), SEND)],
    ["the root", 200, () => world.fetch("/")],
    ["the API's document", 200, () => world.fetch("/openapi.json")],
  ])("are those for %s", async (_, status, ask) => {
    world.deps = { ...world.deps, random: () => 0.01 };
    expect((await ask()).status).toBe(status);
    expect(requests()).toEqual([]);
    world.deps = { ...world.deps, random: () => 0.0099 };
    await ask();
    expect(requests()).toMatchObject([{ status, sampled: 100 }]);
  });

  it("are neither the work of a client or an operator nor what fails: these have a line each", async () => {
    for (let n = 0; n < 2; n++) await world.send(client, { phone: ADA });
    for (let n = 0; n < 2; n++) await world.post("/text/message/send", client, {});
    for (let n = 0; n < 2; n++) await world.operator("GET", "/websites/none");
    world.deps = { ...world.deps, db: failingDatabase(world.deps.db, Number.POSITIVE_INFINITY) };
    for (let n = 0; n < 2; n++) await world.fetch("/l/AAAAAAAAAA");
    expect(requests().map(({ status }) => status)).toEqual([200, 200, 400, 400, 404, 404, 503, 503]);
    expect(requests().filter(({ sampled }) => sampled)).toEqual([]);
  });
});

describe("a configuration that cannot be read", () => {
  it.each([
    ["/health", 503],
    ["/text/message/send", 500],
  ])("is logged, and answered at %s with %i", async (path, status) => {
    const lines = vi.spyOn(console, "error").mockImplementation(() => {});
    const answer = await handleRequest(new Request(`http://localhost${path}`), () => {
      throw new Error("wrong configuration: RETENTION_DAYS: too small");
    });
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain("RETENTION_DAYS");
    expect(JSON.parse(String(lines.mock.calls[0]?.[0]))).toMatchObject({
      event: "configuration.wrong",
      requestId: answer.headers.get("x-request-id"),
      status,
      error: expect.stringContaining("RETENTION_DAYS"),
    });
  });
});

describe("the sweep", () => {
  it("says in one line what each of its jobs found, also when that is nothing", async () => {
    const world = await World.create();
    await world.sweep();
    const nothing = { count: 0, milliseconds: 0 };
    expect(linesOf(world)).toEqual([
      {
        level: "info",
        event: "sweep",
        milliseconds: 0,
        failed: 0,
        jobs: expect.objectContaining({ "requeue-messages": nothing, "end-interrupted": nothing }),
      },
    ]);
  });

  it("has a line more for a job that found something, or failed", async () => {
    const world = await World.create();
    const client = await world.brand([ADA]);
    // The first sweep closes the days before the website was made.
    await world.sweep();
    await world.send(client, { phone: ADA });
    world.advance(61);
    world.logs.length = 0;
    world.deps.credentials.write = () => Promise.reject(new Error("KV is down"));
    await world.sweep();
    expect(linesOf(world)).toMatchObject([
      { level: "warn", event: "sweep.found", job: "requeue-messages", count: 1, milliseconds: 0 },
      { level: "error", event: "sweep.failed", job: "copy-credentials", error: "Error: KV is down" },
      { level: "info", event: "sweep.found", job: "count-ledgers" },
      { level: "error", event: "sweep", failed: 1, jobs: { "requeue-messages": { count: 1 } } },
    ]);
  });
});

describe.each([twilio, telnyx, kannel])("nothing personal is logged of a life at $name:", (carrier) => {
  const EMAIL = "ada.lovelace@example.com";
  const WORDS = ["engine", "difference", "bernoulli"];
  let at: CarrierWorld;
  let secrets: string[];

  beforeEach(async () => {
    at = await CarrierWorld.create(carrier);
    at.world.logEachRequest();
    const { clientSecret, callbackSecret } = at.client;
    secrets = [clientSecret, callbackSecret, OPERATOR_TOKEN, ...Object.values(carrier.settings)];
  });

  const codeOf = async () => String((await at.world.rows("SELECT code FROM links"))[0]?.code);

  function expectNothingPersonal(...more: string[]): void {
    const all = at.world.logs.join("\n");
    for (const secret of [ADA.slice(1), EMAIL, "ada.lovelace", ...WORDS, ...secrets, ...more]) {
      expect(all).not.toContain(secret);
    }
    expect(all).not.toMatch(/2125550\d\d\d/);
  }

  it("sending, receipts, clicks, inbound texts, callbacks, the operator's look and erasure", async () => {
    await at.world.subscribers("brand", [`${ADA},${EMAIL}`]);
    const fields = { text: `The ${WORDS[0]}`, callbackData: `"${WORDS[1]}"`, clickUrl: "https://e.example/bernoulli" };
    const submitted = await at.submit(fields);
    await at.submit({ phone: "", email: EMAIL, text: WORDS[2] });
    await at.receipt(submitted, carrier.sent);
    await at.receipt(submitted, carrier.delivered);
    const code = await codeOf();
    await at.world.fetch(`/l/${code}`, { headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" } });
    await at.world.runQueues();
    for (const words of [`about the ${WORDS[0]}`, "HELP", "STOP"]) await at.inbound(words);
    await at.world.runQueues();
    await at.world.post("/text/unsubscribe", at.client, { phone_numbers: [ADA] });
    await at.world.post("/text/subscription/status", at.client, { phone_numbers: [ADA] });
    await at.person(ADA);
    await at.world.operator("DELETE", `/websites/brand/people/${ADA}`);
    await at.world.sweep();
    expectNothingPersonal(code);
    const events = new Set(linesOf(at.world).map(({ event }) => event));
    const expected = ["request", "messages.accepted", "job", "callbacks.taken", "inbound.received"];
    expect([...events]).toEqual(expect.arrayContaining([...expected, "person.erased", "sweep"]));
  });

  it("what goes wrong: unknown ids, forgeries, a refusal that quotes the number, a store that fails", async () => {
    at.answer = () => Response.json({ code: 21211, message: `no such number: ${ADA}` }, { status: 400 });
    const submitted = await at.submit({ text: WORDS[0] });
    await at.world.operator("GET", `/websites/${ADA.slice(1)}/report`);
    await at.world.operator("GET", `/websites/brand/people/${ADA}0000000`);
    await at.world.fetch("/l/bernoulli1");
    for (const [, hook] of await carrier.forgeries(submitted, submitted, at.world.now)) await at.call(hook);
    const { db } = at.world.deps;
    at.world.deps.db = failingDatabase(db, Number.POSITIVE_INFINITY, "before", `D1_ERROR: near "${ADA}": lost`);
    await at.world.operator("GET", `/websites/brand/people/${ADA}`);
    await at.inbound(`about the ${WORDS[1]}`);
    await at.world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [submitted.messageId] }]);
    await at.world.sweep();
    at.world.deps.db = db;
    expectNothingPersonal("bernoulli1");
    expect(at.world.logs.join("\n")).toContain('near \\"+…00\\": lost');
  });
});

describe("a text", () => {
  it.each([
    ["30007: blocked: Big sale today", "Big sale today", "30007: blocked: …"],
    ["blocked: 'Big sale to' and more", "Big sale today https://a.example/l/x", "blocked: '…' and more"],
    ["the message is blocked", "Big sale today", "the message is blocked"],
    ["no such number", "no", "… such number"],
    ["👍 👍 is spam", "👍", "… … is spam"],
    ["", "Big sale today", ""],
  ])("is not in a carrier's words, whole or in part: %s", (words, text, kept) => {
    expect(withoutQuotations(words, text)).toBe(kept);
  });

  it("leaves nothing of eight characters in them", () => {
    const unit = fc.constantFrom("a", "b", " ");
    const words = fc.string({ unit, maxLength: 60 });
    fc.assert(
      fc.property(words, fc.string({ unit, minLength: 8, maxLength: 30 }), words, (before, text, after) => {
        const kept = withoutQuotations(`${before}${text}${after}`, text);
        for (let at = 0; at + 8 <= kept.length; at++) expect(text).not.toContain(kept.slice(at, at + 8));
      }),
      { numRuns: 300 },
    );
  });
});

describe("numbers", () => {
  it.each([
    ["+12125550100", "+…00"],
    ["no such number: 12125550199.", "no such number: …99."],
    ["+1 (212) 555-0100, or 0049 30 1234567", "+…00, or …67"],
    ["HTTP 400, 21211", "HTTP 400, 21211"],
    ["5f0c5a9e-7d0d-4d6c-9c39-012345678901", "5f0c5a9e-7d0d-4d6c-9c39-012345678901"],
    ["SM01234567890123456789012345678901", "SM01234567890123456789012345678901"],
  ])("are masked, and ids are not: %s", (text, masked) => {
    expect(maskNumbers(text)).toBe(masked);
  });

  it("are masked in JSON under the keys that hold words", () => {
    const value = { reason: `no ${ADA}`, retryAt: 1795262400000, records: [{ reason: ADA, id: "12125550100" }] };
    expect(JSON.parse(toMaskedJson(value, (key) => key === "reason"))).toEqual({
      reason: "no +…00",
      retryAt: 1795262400000,
      records: [{ reason: "+…00", id: "12125550100" }],
    });
    expect(toMaskedJson({ to: 12125550100 }, () => true)).toBe('{"to":"…00"}');
    expect(toMaskedJson(undefined, () => true)).toBe("null");
  });

  it("are masked in the errors of the line that is written", () => {
    const lines = vi.spyOn(console, "error").mockImplementation(() => {});
    log("error", "request.failed", { requestId: "r", error: `no such number: ${ADA}` });
    expect(lines.mock.calls.map(([line]) => [String(line).replace(/"time":"[^"]+",/, "")])).toEqual([
      ['{"level":"error","event":"request.failed","requestId":"r","error":"no such number: +…00"}'],
    ]);
  });
});
