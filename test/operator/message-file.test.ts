/** The file of a list of messages: what the list has, whole or said not to be, named for its filter, and for operators alone. */
import Papa from "papaparse";
import { beforeEach, describe, expect, it } from "vitest";
import { FILE_PAGE, type MessagePage, messagePages } from "../../src/operator/message-file.ts";
import { ADA, bindDatabases, makeBrand, useDatabases } from "../databases.ts";
import { failingDatabase } from "../failing-database.ts";
import { seed } from "../seed.ts";
import { type TestClient, World } from "../world.ts";

const BOB = "+12125550101";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB]);
});

const ask = (query: Record<string, string>) =>
  world.operator("GET", `/messages?${new URLSearchParams({ ...query, format: "csv" })}`);
const linesOf = async (answer: Response) => {
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  return Papa.parse<Record<string, string>>(await answer.text(), { header: true, skipEmptyLines: true }).data;
};
const file = async (query: Record<string, string>) => linesOf(await ask(query));
const nameOf = async (query: Record<string, string>) => {
  const answer = await ask(query);
  await answer.body?.cancel();
  return answer.headers.get("content-disposition");
};
const audit = () =>
  world.rows(
    "SELECT operator, website_id, subject, after, outcome FROM audit_log WHERE action = 'export-messages' ORDER BY id",
  );
const addMany = (count: number, status = "'DELIVERED'") =>
  seed(world, "messages", count, {
    ...{ message_id: "printf('00000000-0000-4000-8000-%012d', i)", website_id: "'brand'", client_id: "''" },
    ...{ phone: "13105550000 + i", text: "'Hello'", callback_data: "''", send_purpose: "'sale'", status },
    ...{ accepted_at: "i / 3", updated_at: `${world.now}` },
  });

describe("the file", () => {
  it("has what the filter finds, newest first, with what each column says", async () => {
    const first = await world.send(client, { phone: ADA, text: 'Say "hi", Ada', sendPurpose: "sale" });
    world.advance(60);
    const second = await world.send(client, { phone: BOB, text: "=1+1", sendPurpose: "sale" });
    await world.send(client, { phone: BOB, sendPurpose: "codes" });
    const rows = await file({ website: "brand", purpose: "sale" });
    expect(rows).toMatchObject([
      { message_id: second, phone: BOB, text: "'=1+1", accepted_at: "2026-11-21T12:01:00.000Z", website: "brand" },
      { message_id: first, phone: ADA, text: 'Say "hi", Ada', status: "PENDING_TO_SEND", reason: "", segments: "1" },
    ]);
    expect(rows[0]).toMatchObject({ purpose: "sale", client_id: client.clientId, clicked_at: "", scheduled_for: "" });
    expect(await audit()).toEqual([
      {
        ...{ operator: "OPERATOR_TOKEN", website_id: "brand", subject: null },
        after: '{"purpose":"sale"}',
        outcome: "done",
      },
    ]);
  });

  it.each([{ website: "brand" }, { status: "DELIVERED" }])(
    "has each message once, of several pages: %o",
    async (query) => {
      const count = 2 * FILE_PAGE + 50;
      await addMany(count);
      const ids = (await file(query as Record<string, string>)).map((row) => row.message_id);
      expect(ids).toHaveLength(count);
      expect(new Set(ids).size).toBe(count);
      expect(ids).toEqual([...ids].sort().reverse());
    },
  );

  it("has those of all databases", async () => {
    await bindDatabases(world, 2);
    const brands = [await makeBrand(world, 1), await makeBrand(world, 2)];
    expect(new Set(brands.map(({ database }) => database)).size).toBe(2);
    const ids = (await file({})).map((row) => row.message_id);
    expect(ids.sort()).toEqual(brands.map(({ messageId }) => messageId).sort());
  });

  it("is none while a database is away, whose messages would be missing", async () => {
    await bindDatabases(world, 2);
    await makeBrand(world, 1);
    useDatabases(world, () => failingDatabase(world.deps.db, 1000));
    const answer = await ask({});
    expect([answer.status, (await audit()).at(-1)]).toMatchObject([503, { outcome: "failed" }]);
  });

  it("is named for what it holds, and never for whom", async () => {
    const [row] = await world.rows("SELECT client_id FROM clients");
    const filter = { website: "brand", purpose: "spring sale", status: "DELIVERED", client: String(row?.client_id) };
    expect(await nameOf(filter)).toBe(
      `attachment; filename="textgate-messages-brand-spring-sale-DELIVERED-${row?.client_id}.csv"`,
    );
    expect(await nameOf({ from: "2026-11-21", until: "2026-11-21T12:00:00Z" })).toBe(
      'attachment; filename="textgate-messages-2026-11-21-2026-11-21T12-00-00Z.csv"',
    );
    await world.send(client, { phone: ADA });
    expect(await nameOf({ phone: ADA })).toBe('attachment; filename="textgate-messages-of-a-person.csv"');
    expect(JSON.stringify(await audit())).not.toContain(ADA.slice(1));
    expect((await audit()).at(-1)).toMatchObject({ subject: "+…00", after: "{}" });
  });

  it("is refused for a viewer, and for another form", async () => {
    const made = await world.operator("POST", "/tokens", { name: "vera", role: "viewer" });
    const { token } = (await made.json()) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    expect((await world.fetch("/operator/messages?format=csv", { headers })).status).toBe(403);
    expect((await world.operator("GET", "/messages?format=xml")).status).toBe(400);
    expect(await audit()).toEqual([]);
  });
});

describe("a file that would be too large", () => {
  /** So many pages of so many messages. */
  const listOf = (pages: number, size: number) => async (cursor: string) => {
    const page = Number(cursor);
    const items = Array.from({ length: size }, () => ({
      ...{ acceptedAt: 0, updatedAt: 0, scheduledFor: null, clickedAt: null, messageId: "m" },
      ...{ websiteId: "brand", sendPurpose: "sale", status: "DELIVERED", text: "Hello", clientId: "c" },
    }));
    const isLast = page === pages - 1;
    const reached = { next: isLast ? null : String(page + 1), reachedAt: isLast ? null : world.now - page * 60_000 };
    return { items, ...reached, missing: {} } as unknown as MessagePage;
  };
  const read = async (pages: number, most: number, size = 3) => {
    const lines: unknown[][] = [];
    for await (const page of messagePages(listOf(pages, size), most)) lines.push(...page);
    return lines;
  };

  it("ends with how many there are at least, and from when on", async () => {
    const lines = await read(5, 2);
    expect(lines).toHaveLength(7);
    expect(lines[6]?.[0]).toBe(
      "At least 6 messages: those accepted before 2026-11-21T11:59:00.000Z are not in this file",
    );
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
  });

  it.each([
    [2, 2],
    [1, 2],
    [300, 300],
  ])("is whole with %i pages of at most %i", async (pages, most) => {
    expect(await read(pages, most)).toHaveLength(pages * 3);
    expect((await read(pages, most)).at(-1)).not.toContainEqual(expect.stringMatching(/^At least/));
  });

  it("goes on through pages without a message", async () => {
    expect(await read(4, 3, 0)).toHaveLength(1);
  });
});
