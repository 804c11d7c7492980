import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeIsolateState } from "../../src/deps.ts";
import { hasCheck, LINK_CODE, newLinkCode, placeLink } from "../../src/domain/messages/link.ts";
import { expectDocumentedEvent } from "../docs/conformance.ts";
import { failingDatabase } from "../failing-database.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const PERSON =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The path of the link in a message's text, and the text. */
async function sendLink(fields: object): Promise<{ messageId: string; path: string; text: string }> {
  const messageId = await world.send(client, { phone: ADA, ...fields });
  const text = String((await world.rows("SELECT text FROM messages WHERE message_id = ?1", messageId))[0]?.text);
  return { messageId, text, path: /\/l\/[A-Za-z0-9]{10,14}/.exec(text)?.[0] ?? "" };
}

const click = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  world.fetch(path, { method, headers: { "user-agent": PERSON, ...headers } });
const clicksOf = async (messageId: string) =>
  ((await (await world.operator("GET", `/messages/${messageId}`)).json()) as { clicks: object }).clicks;

describe("a click URL", () => {
  it("becomes a link where the text has it, and at the end where it has not", async () => {
    const clickUrl = "https://shop.example.com/sale?a=b#c";
    const placed = await sendLink({ clickUrl, text: `Sale: ${clickUrl}. Ends today` });
    expect(placed.text).toBe(`Sale: http://localhost${placed.path}. Ends today`);
    const added = await sendLink({ clickUrl, text: "Sale" });
    expect(added.text).toBe(`Sale http://localhost${added.path}`);
    expect(added.path).not.toBe(placed.path);
  });

  it("is under LINK_ORIGIN where one is set, and counts into the segments", async () => {
    world.deps = { ...world.deps, config: { ...world.deps.config, linkOrigin: "https://l.example" } };
    const { text, messageId } = await sendLink({ clickUrl: "https://shop.example.com/", text: "x".repeat(140) });
    expect(text).toMatch(/^x{140} https:\/\/l\.example\/l\/[A-Za-z0-9]{10,14}$/);
    expect(await world.rows("SELECT segments FROM messages WHERE message_id = ?1", messageId)).toEqual([
      { segments: 2 },
    ]);
  });

  it.each([
    "https://example.com/?utm_source=a%20b&x=%C3%A9#part?y=1",
    "http://example.com:8080/a//b/../c;d=e?",
    "HTTPS://Example.COM/PATH",
    "https://example.com/%E0%A4%A",
  ])("comes back unchanged: %s", async (clickUrl) => {
    const { path } = await sendLink({ clickUrl });
    const answer = await click(path);
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe(clickUrl);
  });

  it("comes back encoded where it is not ASCII, as a header must be", async () => {
    const { path } = await sendLink({ clickUrl: "https://bücher.example/路径?q=é#ß" });
    const answer = await click(path);
    expect(answer.headers.get("location")).toBe("https://xn--bcher-kva.example/%E8%B7%AF%E5%BE%84?q=%C3%A9#%C3%9F");
  });

  it("is counted into the segments of the text as it is sent", async () => {
    const clickUrl = `https://shop.example.com/${"long".repeat(50)}`;
    const short = await sendLink({ clickUrl, text: `“${clickUrl}” ${"x".repeat(20)}` });
    expect(short.text).toBe(`“http://localhost${short.path}” ${"x".repeat(20)}`);
    const long = await sendLink({ clickUrl, text: `${clickUrl}/more ${"x".repeat(20)}` });
    expect(long.text).toBe(`${clickUrl}/more ${"x".repeat(20)} http://localhost${long.path}`);
    for (const [{ messageId, text }, encoding, perSegment] of [
      [short, "UCS-2", 70],
      [long, "GSM-7", 153],
    ] as const) {
      expect(await world.rows("SELECT encoding, segments FROM messages WHERE message_id = ?1", messageId)).toEqual([
        { encoding, segments: Math.ceil(text.length / perSegment) },
      ]);
    }
  });

  it("belongs to each message of a bulk request too", async () => {
    const messages = [1, 2].map((n) => ({
      phone: ADA,
      text: `no ${n}`,
      clickUrl: `https://example.com/${n}`,
      callbackData: "",
      sendPurpose: "a",
    }));
    await world.post("/text/bulk/message/send", client, { messages });
    const links = await world.rows("SELECT url FROM links ORDER BY url");
    expect(links.map(({ url }) => url)).toEqual(["https://example.com/1", "https://example.com/2"]);
  });
});

describe("a click", () => {
  it("is counted after the answer, and told to the client", async () => {
    const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
    world.advance(60);
    await click(path);
    expect(await clicksOf(messageId)).toEqual({ people: 1, robots: 0, firstAt: "2026-11-21T12:01:00.000Z" });
    expect(world.callbacks).toHaveLength(1);
    expect(world.callbacks[0]?.body).toMatch(new RegExp(`^${messageId}_CLICK_`));
  });

  it("is posted with its URL, as the document describes it", async () => {
    const clickUrl = "https://shop.example.com/sale?a=b#c";
    const { messageId, path } = await sendLink({ clickUrl });
    await click(path);
    const posted: Record<string, unknown>[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      posted.push(JSON.parse(String(init?.body)));
      return new Response("thanks");
    });
    await world.runQueues();
    const events = posted.filter(({ eventType }) => eventType === "message.clicked");
    expect(events).toMatchObject([{ messageId, clickUrl, phone: ADA }]);
    expect(posted.length).toBeGreaterThan(1);
    for (const event of posted) expectDocumentedEvent(event);
  });

  it.each<[string, Record<string, string>, string?]>([
    ["a robot", { "user-agent": "facebookexternalhit/1.1" }],
    ["a crawler", { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" }],
    ["a script", { "user-agent": "curl/8.0" }],
    ["an app by iOS' library", { "user-agent": "Viber/20.9.0.8 CFNetwork/1410.0.3 Darwin/22.6.0" }],
    ["nobody", { "user-agent": "" }],
    ["a prefetch", { "sec-purpose": "prefetch;prerender" }],
    ["a preview", { "x-purpose": "preview" }],
    ["a HEAD request", {}, "HEAD"],
  ])("of %s is redirected and counted apart", async (_, headers, method) => {
    const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
    expect((await click(path, headers, method)).status).toBe(302);
    expect(await clicksOf(messageId)).toEqual({ people: 0, robots: 1, firstAt: null });
    expect(world.callbacks).toEqual([]);
  });

  it("counts 50 when the link is clicked 50 times at once, and tells of three", async () => {
    const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
    await Promise.all(Array.from({ length: 50 }, () => click(path)));
    expect(await clicksOf(messageId)).toMatchObject({ people: 50, robots: 0 });
    expect(world.callbacks).toHaveLength(3);
    expect(await world.rows("SELECT count FROM clicks ORDER BY count")).toEqual(
      [1, 1, 1, 47].map((count) => ({ count })),
    );
    expect(await world.rows("SELECT count(*) AS n FROM events WHERE event LIKE 'CLICK%'")).toEqual([{ n: 3 }]);
  });

  it("of a robot takes no row of its own", async () => {
    const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
    for (let i = 0; i < 5; i++) await click(path, { "user-agent": "curl/8.0" });
    world.advance(60);
    await click(path);
    expect(await clicksOf(messageId)).toEqual({ people: 1, robots: 5, firstAt: "2026-11-21T12:01:00.000Z" });
    expect(await world.rows("SELECT is_person, count FROM clicks ORDER BY is_person")).toEqual([
      { is_person: 0, count: 5 },
      { is_person: 1, count: 1 },
    ]);
  });

  it("is called back for each message anew, and the first time stays", async () => {
    for (let message = 0; message < 2; message++) {
      const { messageId, path } = await sendLink({ clickUrl: "https://example.com/", text: `no ${message}` });
      const firstAt = new Date(world.now).toISOString();
      for (let i = 0; i < 5; i++) {
        await click(path);
        world.advance(1);
      }
      expect(await clicksOf(messageId)).toEqual({ people: 5, robots: 0, firstAt });
      const seen = await world.operator("GET", `/messages/${messageId}`);
      const { callbacks, events } = (await seen.json()) as { callbacks: object[]; events: object[] };
      expect([callbacks.length, events.length]).toEqual([3, 3]);
    }
  });

  it.each([1, 2, 3, 4, 5])("no. %i counts once when its transaction takes effect twice", async (nth) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
    for (let i = 1; i < nth; i++) await click(path);
    const { deps } = world;
    for (const headers of [{}, { "user-agent": "curl/8.0" }]) {
      world.deps = { ...deps, db: failingDatabase(deps.db, 1, "after", undefined, "batches") };
      await click(path, headers);
    }
    world.deps = deps;
    expect(await clicksOf(messageId)).toMatchObject({ people: nth, robots: 1 });
    await click(path);
    expect(await clicksOf(messageId)).toMatchObject({ people: nth + 1 });
    expect(await world.rows("SELECT count(*) AS n FROM events WHERE event LIKE 'CLICK%'")).toEqual([
      { n: Math.min(nth + 1, 3) },
    ]);
  });

  it("counts with those that the version before counted, one a row", async () => {
    const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
    await world.rows(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
       INSERT INTO clicks (message_id, click_id, clicked_at, is_person) SELECT ?1, 'old-' || i, ?2, i % 2 FROM n`,
      messageId,
      world.now - 1000,
    );
    for (let i = 0; i < 4; i++) await click(path);
    expect(await clicksOf(messageId)).toEqual({ people: 24, robots: 20, firstAt: "2026-11-21T11:59:59.000Z" });
    expect(world.callbacks).toEqual([]);
    expect(await world.rows("SELECT count(*) AS n FROM clicks")).toEqual([{ n: 41 }]);
  });

  it("does not wait for the count, and is redirected when the count fails", async () => {
    const { path } = await sendLink({ clickUrl: "https://example.com/" });
    const { db } = world.deps;
    const whole = world.deps;
    const broken = { prepare: (sql: string) => db.prepare(sql), batch: () => new Promise(() => {}) };
    const left: Promise<unknown>[] = [];
    world.deps = { ...whole, db: broken as unknown as D1Database, waitUntil: (work) => left.push(work) };
    expect((await click(path)).status).toBe(302);
    expect(left).toHaveLength(1);
    world.deps = whole;
  });
});

describe("a link that a phone opens with what stands behind it", () => {
  it.each([
    ".",
    ",",
    "!",
    "?",
    ";",
    ":",
    ")",
    "]",
    "'",
    "*",
    "...",
    ").",
    ".)",
    "/",
    "./",
    "”",
    "’",
    "…",
    "»",
    ">",
    '"',
    "。",
    "。今日",
    "—now",
    "🎉",
    "|x",
    "%2E",
    "%2e",
    "%29",
    "%2C",
    "%21",
    "%E2%80%9D",
    "%e2%80%a6",
    "%22",
    "%3E",
    "%20",
    "%20and",
    "%0A",
    "%E2%80%8B",
    ".%E2%80%9D",
  ])("leads to its URL, and the click is counted: %s", async (after) => {
    const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
    const answer = await click(path + after);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://example.com/"]);
    expect(await clicksOf(messageId)).toMatchObject({ people: 1, robots: 0 });
    expect((await click(path + after, {}, "HEAD")).status).toBe(302);
    expect(await clicksOf(messageId)).toMatchObject({ people: 1, robots: 1 });
  });

  it.each(["x", ".x", "'s", ",then", "/x", "%2Fx", "%78", "%", ".%", "=", "@", "-x"])(
    "is no link where it goes on: %s",
    async (after) => {
      const { messageId, path } = await sendLink({ clickUrl: "https://example.com/" });
      expect((await click(path + after)).status).toBe(404);
      expect(await clicksOf(messageId)).toMatchObject({ people: 0, robots: 0 });
    },
  );
});

describe("a link that leads nowhere", () => {
  it.each([
    "/l/AAAAAAAAAA",
    "/l/short",
    "/l/AAAAAAAAAAA",
    "/l/AAAA'AAAAA",
    "/l/%00%00%00%00",
    "/l/AAAAAAAAAA.",
    "/l/%E2%80%9D",
    "/l/AAAAAAAAAAAAAAA.",
  ])("%s is a plain page, 404", async (path) => {
    const answer = await click(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await answer.text()).toContain("Link not found");
    const head = await click(path, {}, "HEAD");
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      404,
      "text/html; charset=utf-8",
      "",
    ]);
  });
});

describe("the code of a link", () => {
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const newCode = () => newLinkCode(0, random, world.deps.signLink);

  it("has ten characters of 62, each as likely as another", () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 5000; i++) {
      const code = newCode();
      expect(code).toMatch(LINK_CODE);
      for (const character of code) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const expected = 50_000 / 62;
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected / 5);
  });

  it("has a check, which one guess in 62 has", () => {
    expect(Array.from({ length: 1000 }, newCode).filter((code) => !hasCheck(code, world.deps.signLink))).toEqual([]);
    const guesses = Array.from({ length: 5000 }, () => newCode().slice(0, 9) + newCode().slice(0, 1));
    const right = guesses.filter((guess) => hasCheck(guess, world.deps.signLink));
    expect(Math.abs(right.length - 5000 / 62)).toBeLessThan(50);
  });

  it("has a check that nobody can tell without the SERVICE_KEY of the deployment", () => {
    const { signLink } = makeIsolateState({ ...env, SERVICE_KEY: "another" } as Env);
    const codes = Array.from({ length: 5000 }, newCode);
    expect(Math.abs(codes.filter((code) => hasCheck(code, signLink)).length - 5000 / 62)).toBeLessThan(50);
  });
});

describe("the place of a link", () => {
  const url = "https://a.example/x";

  it.each([
    [`see ${url}`, "see L"],
    [`${url}, ${url}!`, "L, L!"],
    [`(${url})`, "(L)"],
    [`${url}/more`, `${url}/more L`],
    [`${url}?a=b ${url}`, `${url}?a=b L`],
    ["none", "none L"],
  ])("%j becomes %j", (text, placed) => {
    expect(placeLink(text, url, "L")).toBe(placed);
  });

  it("takes nothing else from the text", () => {
    const part = fc.constantFrom(url, " ", ".", "/", "a", "https://a.example");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        expect([text, `${text} ${url}`]).toContain(placeLink(text, url, "LINK").replaceAll("LINK", url));
      }),
    );
  });
});
