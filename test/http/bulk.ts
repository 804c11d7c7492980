/** Bulk requests, for send-bulk.test.ts, send-bulk-keys.test.ts and their long forms. */
import { afterEach, beforeEach, expect, vi } from "vitest";
import type { Carrier } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { strictCarrier } from "../strict/bindings.ts";
import { SEND, type TestClient, World } from "../world.ts";

export const PATH = "/text/bulk/message/send";
export const ADA = "+12125550100";

export interface Answer {
  successSent: { index: number; messageId: string }[];
  failedSent: { index: number; phone: string | null; email: string | null; errorMessage: string }[];
}

export let world: World;
export let client: TestClient;

export const message = (fields: object = {}) => ({ ...SEND, phone: ADA, ...fields });
export const many = (count: number, fields: (index: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, index) => message({ text: `no ${index}`, ...fields(index) }));
export const keyed = (key: string) => ({ "idempotency-key": key });
export const bulk = (messages: unknown, headers: Record<string, string> = {}, as = client) =>
  world.post(PATH, as, { messages }, headers);
export const accept = async (messages: unknown, headers: Record<string, string> = {}, as = client): Promise<Answer> => {
  const answer = await bulk(messages, headers, as);
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
};
export const idsOf = ({ successSent }: Answer) => successSent.map(({ messageId }) => messageId);
export const countStored = async () => (await world.rows("SELECT count(*) AS n FROM messages"))[0]?.n;
export const refusal = async (answer: Response) => ({
  status: answer.status,
  body: (await answer.json()) as {
    code: number;
    message: string;
    details: { field: string; message: string; messageId?: string }[];
  },
});

/** Bodies of so many bytes, each full of one thing, with their statuses. */
export const fullOf = (bytes: number) => [
  ["escapes", 200, `{"messages":[${`{"text":"${"\\u00e9".repeat(16_000)}"},`.repeat(bytes / 96_100)}{}]}`],
  ["numbers", 200, `{"messages":[${"0,".repeat(bytes / 2 - 10)}0]}`],
  ["one string", 400, `{"messages":["${"x".repeat(bytes - 20)}"]}`],
  ["one name", 400, `{"${"x".repeat(bytes - 20)}":1}`],
  ["one number", 400, `{"messages":[${"1".repeat(bytes - 20)}]}`],
  ["white space", 400, " ".repeat(bytes)],
  ["brackets", 400, "[".repeat(bytes)],
  ["objects", 400, '{"a":'.repeat(bytes / 5)],
];

const deliverAll: Carrier["submit"] = async ({ messageId }) => ({
  kind: "accepted",
  carrierMessageId: messageId,
  receipt: { status: "DELIVERED", reason: null, carrierMessageId: messageId, optedOut: false },
});

/** Many messages are accepted in one request, and a fiftieth of them is delivered. */
export async function expectManyAccepted(count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, i) => `+1212${5_000_000 + i}`);
  await world.subscribers("brand", lines);
  // The sandbox's own numbers would be refused or wait: this is about how many.
  world.deps = {
    ...world.deps,
    carriers: { ready: { sandbox: strictCarrier({ ...sandbox, submit: deliverAll }) }, missing: {} },
  };
  const posted = new Set<string>();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    const id = new Headers(init?.headers).get("webhook-id") ?? "";
    if (posted.has(id)) throw new Error(`posted twice: ${id}`);
    posted.add(id);
    return new Response("thanks");
  });
  const messages = lines.map((phone, i) => message({ phone, callbackData: i % 5 === 0 ? `"${i}"` : "" }));
  const { successSent, failedSent } = await accept(messages);
  expect([successSent.length, failedSent.length]).toEqual([count, 0]);
  expect(world.jobs).toHaveLength(count / 25);
  world.jobs.splice(0, count / 25, ...world.jobs.filter((_, index) => index % 50 === 49));
  await world.runQueues();
  vi.restoreAllMocks();
  expect(await world.rows("SELECT status, count(*) AS n FROM messages GROUP BY status")).toEqual([
    { status: "DELIVERED", n: count / 50 },
    { status: "PENDING_TO_SEND", n: count - count / 50 },
  ]);
  expect(posted.size).toBe((count / 50 / 5) * 2);
}

/** A chunk of 500 is cut by its length as given: three bytes a character, and links that are longer than their URLs. */
export async function expectStoredWhole(website = {}, headers: Record<string, string> = {}): Promise<void> {
  const linkOrigin = `https://${"l".repeat(60)}.${"m".repeat(30)}.example.com`;
  await world.website("brand", website);
  world.deps = { ...world.deps, config: { ...world.deps.config, linkOrigin } };
  const items = Array.from({ length: 500 }, (_, i) => {
    const text = `${String(i).padStart(3)}${" http://a".repeat(12)}`;
    const item = { phone: ADA, text, clickUrl: "http://a", sendPurpose: "a", callbackData: '""' };
    return { ...item, callbackData: `"${"文".repeat(1000 - JSON.stringify(item).length)}"` };
  });
  const first = await accept(items, headers);
  expect(first.failedSent).toEqual([]);
  const [stored] = await world.rows(
    `SELECT count(*) AS messages, (SELECT count(*) FROM links) AS links,
       sum(length(CAST(text || callback_data AS BLOB))) AS bytes FROM messages`,
  );
  expect(stored).toMatchObject({ messages: 500, links: 500 });
  // With what else each row brings, in JSON.
  expect(Number(stored?.bytes) + 500 * 150).toBeGreaterThan(2_000_000);
  expect(await accept(items.slice(0, 1), { "idempotency-key": "other" })).toMatchObject({ failedSent: [] });
  if ("idempotency-key" in headers) expect(await accept(items, headers)).toEqual(first);
}

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    client = await world.brand([`${ADA},ada@example.com`]);
    // Thousands of callbacks that no test asks for: they are answered as outside of workerd, and do not go there and back.
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("no test answers this", { status: 599 }));
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });
}
