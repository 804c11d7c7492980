/** POST /text/message/statuses: the statuses of many messages, in one query. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { countingDatabase } from "../counting-database.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const UNKNOWN = "+12125550177";
const NOBODYS = "5f0c5a9e-7d0d-4d6c-9c39-0f5f6c1e8a11";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

const ask = (body: unknown, of = client) => world.post("/text/message/statuses", of, body);
const read = async (messageIds: string[], of = client) => {
  const answer = await ask({ messageIds }, of);
  expect(answer.status).toBe(200);
  return answer.json<{ messages: { messageId: string; status: string }[]; unknownMessageIds: string[] }>();
};

describe("the statuses of messages", () => {
  it("come each once, in the order given, beside the ids that are unknown", async () => {
    const first = await world.send(client, { phone: ADA });
    const second = await world.send(client, { phone: UNKNOWN });
    const ids = [NOBODYS, second, first, second.toUpperCase(), ` ${first} `, NOBODYS.toUpperCase(), "", "no id"];
    expect(await read(ids)).toEqual({
      messages: [
        { messageId: second, status: "NOT_FOUND", reason: null, updatedAt: "2026-11-21T12:00:00.000Z" },
        { messageId: first, status: "PENDING_TO_SEND", reason: null, updatedAt: "2026-11-21T12:00:00.000Z" },
      ],
      unknownMessageIds: [NOBODYS, "", "no id"],
    });
  });

  it("are found in capitals, and an unknown id is given back as it came", async () => {
    const messageId = await world.send(client, { phone: ADA });
    expect(await read([messageId.toUpperCase(), NOBODYS.toUpperCase()])).toMatchObject({
      messages: [{ messageId }],
      unknownMessageIds: [NOBODYS.toUpperCase()],
    });
  });

  it("are those of the website: also of its other clients, and of no other website", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const sibling = await world.client("brand");
    const stranger = await world.brand([ADA], "other");
    expect((await read([messageId], sibling)).messages).toMatchObject([{ messageId }]);
    expect(await read([messageId], stranger)).toEqual({ messages: [], unknownMessageIds: [messageId] });
  });

  it("of 5,000 are one query that reads each message, and writes nothing", async () => {
    const messages = Array.from({ length: 5000 }, () => ({
      phone: UNKNOWN,
      text: "Hello",
      callbackData: "",
      sendPurpose: "sale",
    }));
    const sent = await world.post("/text/bulk/message/send", client, { messages });
    const { successSent } = await sent.json<{ successSent: { messageId: string }[] }>();
    const ids = successSent.map(({ messageId }) => messageId).toReversed();
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const answer = await read(ids);
    expect(take()).toEqual({ calls: 1, rowsRead: 10_000, rowsWritten: 0 });
    expect(answer.messages.map(({ messageId }) => messageId)).toEqual(ids);
  });
});

describe("a request for statuses", () => {
  const LISTS = "must be an array of 1 to 5,000 message ids";
  it.each([
    [{}, ["messageIds"], LISTS],
    [{ messageIds: null }, ["messageIds"], LISTS],
    [{ messageIds: NOBODYS }, ["messageIds"], LISTS],
    [{ messageIds: { 0: NOBODYS } }, ["messageIds"], LISTS],
    [{ messageIds: [] }, ["messageIds"], "has 0 items"],
    [{ messageIds: new Array(5001).fill(NOBODYS) }, ["messageIds"], "has 5001 items"],
    [
      { messageIds: [NOBODYS, 1, null, ["x"]] },
      ["messageIds[1]", "messageIds[2]", "messageIds[3]"],
      "must be a string",
    ],
    [[NOBODYS], ["body"], "must be a JSON object"],
  ])("is refused: %j", async (body, fields, message) => {
    const answer = await ask(body);
    const { code, details } = await answer.json<{ code: number; details: { field: string; message: string }[] }>();
    expect([answer.status, code, details.map(({ field }) => field)]).toEqual([400, 40001, fields]);
    expect(details[0]?.message).toContain(message);
  });

  it("that is too long, no JSON or of another type is refused", async () => {
    expect((await ask({ messageIds: ["x".repeat(513 * 1024)] })).status).toBe(413);
    expect((await ask("{")).status).toBe(400);
    const text = await world.post("/text/message/statuses", client, "{}", { "content-type": "text/plain" });
    expect(text.status).toBe(415);
    expect((await world.fetch("/text/message/statuses")).status).toBe(405);
  });

  it("is answered whatever its strings hold, cut to the length of an id and some more", async () => {
    const hostile = ["' OR 1=1 --", "\u0000", "\ud800", "é🎉", "x".repeat(5000)];
    const { unknownMessageIds } = await read(hostile);
    expect(unknownMessageIds.slice(0, 4)).toEqual(["' OR 1=1 --", "\u0000", "\ud800", "é🎉"]);
    expect(unknownMessageIds[4]).toBe(`${"x".repeat(63)}…`);
  });

  it("needs credentials and the grant, and counts against the limit", async () => {
    expect((await world.fetch("/text/message/statuses", { method: "POST", body: "{}" })).status).toBe(401);
    const other = await world.client("brand", { operations: ["send"] });
    expect((await ask({ messageIds: [NOBODYS] }, other)).status).toBe(403);
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    expect((await ask({ messageIds: [NOBODYS] })).headers.get("ratelimit")).toBe('"website";r=299;t=1');
    vi.useRealTimers();
  });
});
