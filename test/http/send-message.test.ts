import { beforeEach, describe, expect, it } from "vitest";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},ada@example.com`, "+12125550199,,false"]);
});

const storedMessage = async (messageId: string) =>
  (await world.rows("SELECT * FROM messages WHERE message_id = ?1", messageId))[0];

describe("a send request", () => {
  it("is stored and queued before it is answered", async () => {
    const messageId = await world.send(client, { phone: ADA });
    expect(messageId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await storedMessage(messageId)).toMatchObject({
      website_id: "brand",
      client_id: client.clientId,
      phone: 12125550100,
      status: "PENDING_TO_SEND",
      text: SEND.text,
      callback_data: SEND.callbackData,
      send_purpose: SEND.sendPurpose,
    });
    expect(world.jobs.map(({ body }) => body)).toEqual([{ kind: "deliver", messageIds: [messageId] }]);
  });

  it.each([
    ["a number that was never seen", { phone: "+12125550177" }, "NOT_FOUND", 12125550177],
    ["a number that has opted out", { phone: "+12125550199" }, "NOT_SUBSCRIBED", 12125550199],
    ["an address without a subscribed number", { email: "nobody@example.com" }, "FAILED_TO_MATCH", null],
  ])("to %s ends at once, with its callback queued and nothing to deliver", async (_, recipient, status, phone) => {
    const messageId = await world.send(client, recipient);
    expect(await storedMessage(messageId)).toMatchObject({ status, phone });
    expect(world.jobs).toEqual([]);
    expect(world.callbacks.map(({ body }) => body)).toEqual([`${messageId}_${status}`]);
  });

  it("finds the number of an e-mail address, whatever its case", async () => {
    const messageId = await world.send(client, { phone: "", email: "ADA@Example.com" });
    expect(await storedMessage(messageId)).toMatchObject({ phone: 12125550100, status: "PENDING_TO_SEND" });
  });

  it("takes the number that was subscribed last, of several with the same address", async () => {
    await world.subscribers("brand", ["+12125550103,ada@example.com", "+12125550102,ada@example.com"]);
    expect(await storedMessage(await world.send(client, { email: "ada@example.com" }))).toMatchObject({
      phone: 12125550102,
    });
    await world.subscribers("brand", ["+12125550102,,false"]);
    expect(await storedMessage(await world.send(client, { email: "ada@example.com" }))).toMatchObject({
      phone: 12125550103,
    });
  });

  it("ignores the e-mail address when a phone number is given, whatever it is", async () => {
    for (const email of ["not an address", 5, { a: 1 }, "grace@example.com"]) {
      expect(await storedMessage(await world.send(client, { phone: ADA, email }))).toMatchObject({
        phone: 12125550100,
        email: null,
      });
    }
  });

  it("may come as marketing platforms send it, with empty fields and unknown ones", async () => {
    const bodies = [
      '{"phone":"","email":"ada@example.com","text":"Brand: Happy Birthday, Ada!","clickUrl":"https://click.example.com","mediaUrl":"https://example.com/image/1.jpg","callbackData":"{\\"profileID\\":\\"01H\\",\\"metricName\\":\\"Flow Name\\",\\"flow\\":\\"Flow Name\\"}","sendPurpose":"Flow Name"}',
      '{"phone":"+12125550100","email":"","text":"Brand: hello","mediaUrl":"","clickUrl":"","callbackData":"{}","sendPurpose":"spring-sale_01"}',
      '{"phone":"+12125550100","email":null,"text":"Brand: hello","mediaUrl":null,"callbackData":"","sendPurpose":"a","extra":{"b":1}}',
    ];
    for (const body of bodies) expect((await world.post("/text/message/send", client, body)).status).toBe(200);
  });

  it("keeps callbackData byte for byte", async () => {
    for (const callbackData of ['{ "a" : "\\u00e9é\\n" , "z":1.0 }', "  [1, 2]\n", '"👍🏽"', "0"]) {
      const messageId = await world.send(client, { phone: ADA, callbackData });
      expect(await storedMessage(messageId)).toMatchObject({ callback_data: callbackData });
    }
  });

  it("keeps a text whose characters a store might cut or change", async () => {
    for (const text of ["nul \u0000 inside", "👍🏽 é ع \u200d", "quote ' \" -- ; DROP TABLE", "line\r\nbreak\ttab"]) {
      expect(await storedMessage(await world.send(client, { phone: ADA, text }))).toMatchObject({ text });
    }
  });
});

describe("an Idempotency-Key", () => {
  const send = (key: string, fields: Record<string, unknown> = {}, by = client) =>
    world.post("/text/message/send", by, { ...SEND, phone: ADA, ...fields }, { "idempotency-key": key });

  it("makes fifty identical requests at the same time one message", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send("order-1")));
    const ids = new Set(await Promise.all(answers.map(async (answer) => (await answer.text()) + answer.status)));
    expect(ids.size).toBe(1);
    expect(await world.rows("SELECT message_id FROM messages")).toHaveLength(1);
    expect(world.jobs).toHaveLength(1);
  });

  it("forgives the order of keys and the white space between them, and no other difference", async () => {
    const post = (body: string) => world.post("/text/message/send", client, body, { "idempotency-key": "order-1" });
    const note = { b: [1, { d: 2, c: 3 }], a: "x" };
    const first = await (await post(JSON.stringify({ ...SEND, phone: ADA, note }))).json();
    const turned = {
      note: { a: "x", b: [1, { c: 3, d: 2 }] },
      phone: ADA,
      ...Object.fromEntries(Object.entries(SEND).reverse()),
    };
    expect(await (await post(JSON.stringify(turned, undefined, "\t"))).json()).toEqual(first);
    const others = [
      { note: { a: "x", b: [{ c: 3, d: 2 }, 1] } },
      { callbackData: `${SEND.callbackData} ` },
      { more: 1 },
    ];
    for (const other of others) expect((await post(JSON.stringify({ ...turned, ...other }))).status).toBe(409);
    expect(await world.rows("SELECT message_id FROM messages")).toHaveLength(1);
  });

  it("compares numbers digit by digit", async () => {
    const post = (orderId: string) => {
      const body = `${JSON.stringify({ ...SEND, phone: ADA }).slice(0, -1)},"orderId":${orderId}}`;
      return world.post("/text/message/send", client, body, { "idempotency-key": "order-1" });
    };
    const first = await (await post("9007199254740993")).json();
    expect(await (await post("9007199254740993.0")).json()).toEqual(first);
    expect((await post("9007199254740992")).status).toBe(409);
    expect(await world.rows("SELECT message_id FROM messages")).toHaveLength(1);
  });

  it("takes a body that is nested too deeply for a comparison as it came", async () => {
    const post = (body: string) => world.post("/text/message/send", client, body, { "idempotency-key": "order-1" });
    const body = `${JSON.stringify({ ...SEND, phone: ADA }).slice(0, -1)},"note":${"[".repeat(40_000)}${"]".repeat(40_000)}}`;
    const first = await (await post(body)).json();
    expect(await (await post(body)).json()).toEqual(first);
    expect((await post(` ${body}`)).status).toBe(409);
  });

  it("refuses another body with the same key", async () => {
    await send("order-1");
    const answer = await send("order-1", { text: "other" });
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: 40900 });
    expect(await world.rows("SELECT message_id FROM messages")).toHaveLength(1);
  });

  it("is forgotten after 24 hours", async () => {
    const first = await (await send("order-1")).json();
    world.advance(24 * 3600 - 1);
    expect(await (await send("order-1")).json()).toEqual(first);
    world.advance(1);
    expect(await (await send("order-1")).json()).not.toEqual(first);
    world.advance(24 * 3600);
    await world.sweep();
    expect(await world.rows("SELECT * FROM idempotency_keys")).toEqual([]);
  });

  it("belongs to its client: two that both count from 1 do not meet", async () => {
    const other = await world.client();
    const first = await (await send("1")).json();
    expect(await (await send("1", {}, other)).json()).not.toEqual(first);
    expect((await send("1", { text: "of another platform" }, await world.client())).status).toBe(200);
    expect(await (await send("1")).json()).toEqual(first);
  });

  it("belongs to its website", async () => {
    const other = await world.brand([`${ADA},`], "other");
    const first = await (await send("order-1")).json();
    expect(await (await send("order-1", {}, other)).json()).not.toEqual(first);
  });

  it.each([
    ["empty", ""],
    ["with a space", "a b"],
    ["too long", "x".repeat(256)],
  ])("that is %s breaks its rule", async (_, key) => {
    const answer = await send(key);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 40001, details: [{ field: "Idempotency-Key" }] });
  });
});

describe("duplicate suppression", () => {
  it("is off unless the website turns it on", async () => {
    expect(await world.send(client, { phone: ADA })).not.toBe(await world.send(client, { phone: ADA }));
  });

  it("answers the first message's id within its window, by number or by address", async () => {
    await world.website("brand", { duplicateWindowHours: 2 });
    const first = await world.send(client, { phone: ADA });
    expect(await world.send(client, { phone: ADA, callbackData: "{}" })).toBe(first);
    expect(await world.send(client, { email: "ada@example.com" })).toBe(first);
    expect(await world.send(client, { phone: ADA, text: "another" })).not.toBe(first);
    expect(await world.send(client, { phone: ADA, sendPurpose: "another" })).not.toBe(first);
    world.advance(2 * 3600);
    expect(await world.send(client, { phone: ADA })).not.toBe(first);
  });

  it("makes many at the same time one message, with and without an Idempotency-Key", async () => {
    await world.website("brand", { duplicateWindowHours: 1 });
    const send = (key?: string) =>
      world.post("/text/message/send", client, { ...SEND, phone: ADA }, key ? { "idempotency-key": key } : {});
    const answers = await Promise.all([send(), send("a"), send("a"), send("b"), send()]);
    const ids = await Promise.all(answers.map(async (answer) => JSON.stringify(await answer.json())));
    expect(new Set(ids).size).toBe(1);
    expect(JSON.stringify(await (await send("b")).json())).toBe(ids[0]);
    expect(await world.rows("SELECT message_id FROM messages")).toHaveLength(1);
  });
});
