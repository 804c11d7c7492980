/** Unknown fields are ignored, as always. The answer names them, and so does the operator's message. */
import { beforeEach, describe, expect, it } from "vitest";
import { OPERATOR_TOKEN, SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const GOOD = { ...SEND, phone: ADA };

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

const ignoredOf = (answer: Response) => answer.headers.get("ignored-fields");
const stored = () => world.rows("SELECT ignored_fields FROM messages ORDER BY rowid");
const idOf = async (answer: Response) => ((await answer.json()) as { messageId: string }).messageId;

describe("a send with unknown fields", () => {
  it("is answered with their names, and the operator's message has them", async () => {
    const body = { sendTime: "2027-01-01T00:00:00Z", ...GOOD, click_url: "https://a.example", mediaURL: "" };
    const answer = await world.post("/text/message/send", client, body);
    expect([answer.status, ignoredOf(answer)]).toEqual([200, "sendTime, click_url, mediaURL"]);
    expect(await stored()).toEqual([{ ignored_fields: '["sendTime","click_url","mediaURL"]' }]);
    const seen = await (await world.operator("GET", `/messages/${await idOf(answer)}`)).json();
    expect(seen).toMatchObject({ ignoredFields: ["sendTime", "click_url", "mediaURL"], clickUrl: null });
  });

  it("without any has neither the header nor a row of them", async () => {
    const answer = await world.post("/text/message/send", client, {
      ...GOOD,
      mediaUrl: "",
      clickUrl: null,
      email: "x",
    });
    expect([answer.status, ignoredOf(answer)]).toEqual([200, null]);
    expect(await stored()).toEqual([{ ignored_fields: null }]);
    const seen = await (await world.operator("GET", `/messages/${await idOf(answer)}`)).json();
    expect(seen).toMatchObject({ ignoredFields: null });
  });

  it("cannot write another header, or another value of this one", async () => {
    const name = "x\r\nSet-Cookie: a=b\r\n\r\n<html>, sendTime";
    const answer = await world.post("/text/message/send", client, { ...GOOD, [name]: 1, größe: 2 });
    expect(answer.status).toBe(200);
    expect(ignoredOf(answer)).toBe("x%0D%0ASet-Cookie:%20a=b%0D%0A%0D%0A<html>%2C%20sendTime, gr%C3%B6%C3%9Fe");
    expect(answer.headers.get("set-cookie")).toBe(null);
  });

  it("with thousands of them is answered with twenty", async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, 1]));
    const names = (ignoredOf(await world.post("/text/message/send", client, { ...GOOD, ...many })) ?? "").split(", ");
    expect(names).toEqual(Array.from({ length: 20 }, (_, n) => `f${n}`));
  });

  it("that breaks a rule has an error without the header", async () => {
    const answer = await world.post("/text/message/send", client, { ...GOOD, text: "", sendTime: 1 });
    expect([answer.status, ignoredOf(answer)]).toEqual([400, null]);
  });

  it("is the same request under its Idempotency-Key, and another one without the fields", async () => {
    const key = { "idempotency-key": "a" };
    const send = (body: object) => world.post("/text/message/send", client, body, key);
    const first = await send({ ...GOOD, sendTime: 1 });
    const again = await send({ sendTime: 1, ...GOOD });
    expect([again.status, ignoredOf(again)]).toEqual([200, "sendTime"]);
    expect(await idOf(again)).toBe(await idOf(first));
    expect((await send(GOOD)).status).toBe(409);
    expect(await stored()).toEqual([{ ignored_fields: '["sendTime"]' }]);
  });

  it("is the duplicate of one without them", async () => {
    await world.operator("PUT", "/websites/brand", { duplicateWindowHours: 1 });
    world.advance(120);
    const first = await idOf(await world.post("/text/message/send", client, GOOD));
    const second = await world.post("/text/message/send", client, { ...GOOD, sendTime: 1 });
    expect([await idOf(second), ignoredOf(second)]).toEqual([first, "sendTime"]);
    expect(await stored()).toEqual([{ ignored_fields: null }]);
  });
});

describe("a bulk request with unknown fields", () => {
  it("is answered with those of all messages and of its own, and each message has its own", async () => {
    const messages = [
      { ...GOOD, sendTime: 1 },
      GOOD,
      { ...GOOD, click_url: 2, sendTime: 3 },
      { ...GOOD, text: "", mediaURL: "" },
    ];
    const answer = await world.post("/text/bulk/message/send", client, { priority: "high", messages, dryRun: true });
    expect([answer.status, ignoredOf(answer)]).toEqual([200, "priority, dryRun, sendTime, click_url, mediaURL"]);
    expect(await stored()).toEqual([
      { ignored_fields: '["sendTime"]' },
      { ignored_fields: null },
      { ignored_fields: '["click_url","sendTime"]' },
    ]);
  });

  it("names them however many messages there are", async () => {
    const messages = Array.from({ length: 1200 }, (_, n) => (n === 1100 ? { ...GOOD, sendTime: 1 } : GOOD));
    expect(ignoredOf(await world.post("/text/bulk/message/send", client, { messages }))).toBe("sendTime");
  });

  it("without any has no header", async () => {
    expect(ignoredOf(await world.post("/text/bulk/message/send", client, { messages: [GOOD] }))).toBe(null);
  });
});

describe("each other call with a JSON body", () => {
  it.each<[string, string, object]>([
    ["POST", "/text/subscribe", { phone_numbers: [ADA], sendPurpose: "a" }],
    ["POST", "/text/unsubscribe", { phone_numbers: [ADA] }],
    ["POST", "/text/subscription/status", { phone_numbers: [ADA] }],
    ["POST", "/text/message/statuses", { messageIds: ["x"] }],
    ["POST", "/text/message/cancel", { messageIds: ["x"] }],
    ["POST", "/text/message/send", GOOD],
    ["POST", "/text/bulk/message/send", { messages: [GOOD] }],
  ])("%s %s names what it ignores, in the header and in the body", async (_, path, body) => {
    const without = await world.post(path, client, body);
    expect([ignoredOf(without), Object.keys((await without.json()) as object)]).toEqual([
      null,
      expect.not.arrayContaining(["ignoredFields"]),
    ]);
    const answer = await world.post(`${path}?dryRun=1`, client, { ...body, phone_number: 1, PHONE: 2 });
    expect([answer.status, ignoredOf(answer)]).toEqual([200, "dryRun, phone_number, PHONE"]);
    expect(await answer.json()).toMatchObject({ ignoredFields: ["dryRun", "phone_number", "PHONE"] });
  });

  it.each<[string, string, object, number]>([
    ["PUT", "/websites/brand", { helpText: "x" }, 200],
    ["POST", "/websites/brand/clients", {}, 201],
    ["POST", "/websites/brand/hold", { sendPurpose: "a" }, 200],
    ["POST", "/websites/brand/release", { sendPurpose: "a" }, 200],
    ["POST", "/websites/brand/cancel", { dryRun: true }, 200],
    ["POST", "/tokens", { name: "ada" }, 201],
  ])("of the operator, %s %s names what it ignores", async (method, path, body, status) => {
    if (path.endsWith("/release")) await world.operator("POST", "/websites/brand/hold", body);
    const answer = await world.operator(method, path, { ...body, helptext: "y" });
    expect([answer.status, ignoredOf(answer)]).toEqual([status, "helptext"]);
  });

  it("of the operator that changes a client names what it ignores", async () => {
    const changed = await world.operator("PATCH", `/clients/${client.clientId}`, { callbackURL: "https://a.example" });
    expect([changed.status, ignoredOf(changed)]).toEqual([200, "callbackURL"]);
    world.advance(2);
    const rotated = await world.operator("POST", `/clients/${client.clientId}/rotate`, { grace: 5 });
    expect([rotated.status, ignoredOf(rotated)]).toEqual([200, "grace"]);
  });

  it("is none that reads a file", async () => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": "text/csv" };
    const body = "phone_numbers,other,subscribed\n+12125550111,x,1";
    const answer = await world.fetch("/operator/websites/brand/subscribers", { method: "POST", headers, body });
    expect([answer.status, ignoredOf(answer)]).toEqual([200, null]);
  });
});

describe("an unknown parameter of the query", () => {
  const get = async (path: string) =>
    world.fetch(path, { headers: { "x-client-id": client.clientId, "x-client-secret": client.clientSecret } });

  it("is named to a client: a reader of events that writes cursor reads the same ones again and again", async () => {
    const answer = await get("/text/events?cursor=1&Limit=5&limit=1&x%0D%0Ay=%2C");
    expect([answer.status, ignoredOf(answer)]).toEqual([200, "cursor, Limit, x%0D%0Ay"]);
    expect(ignoredOf(await get("/text/events?limit=1&after="))).toBe(null);
  });

  it("is named beside the fields of the body", async () => {
    const sent = await world.post("/text/message/send?dryRun=true", client, { ...GOOD, sendTime: 1 });
    expect([sent.status, ignoredOf(sent)]).toEqual([200, "dryRun, sendTime"]);
    expect(await stored()).toEqual([{ ignored_fields: '["sendTime"]' }]);
    const bulk = await world.post("/text/bulk/message/send?dryRun=true", client, { messages: [GOOD], priority: 1 });
    expect([bulk.status, ignoredOf(bulk)]).toEqual([200, "dryRun, priority"]);
  });

  it("is named to an operator, whose filter it is not", async () => {
    const answer = await world.operator("GET", "/messages?webiste=brand&__proto__=1");
    expect([answer.status, ignoredOf(answer)]).toEqual([200, "webiste, __proto__"]);
    expect(ignoredOf(await world.operator("GET", "/messages?website=brand"))).toBe(null);
  });

  it("is not named by what anyone may call", async () => {
    expect(ignoredOf(await world.fetch("/health?sendTime=1"))).toBe(null);
  });
});
