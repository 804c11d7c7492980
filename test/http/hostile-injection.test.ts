import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readField, writeCsv } from "../../src/domain/people/csv.ts";
import { CARRIERS, CarrierWorld, mockSockets, OURS } from "../carriers/carrier-world.ts";
import { csvRecords } from "../domain/people/whole-file.ts";
import { type TestClient, World } from "../world.ts";
import { ADA, BREAKS, expectPlainLocations } from "./drawn-links.ts";

mockSockets();

const MARK = "X-Injected: yes";
const VISIBLE = /^[\x20-\x7e]*$/;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function expectPlain(headers: Headers): void {
  for (const [name, value] of headers) {
    expect([name, VISIBLE.test(value)]).toEqual([name, true]);
    expect(`${name}: ${value}`).not.toContain("njected");
  }
}

describe("the Location of a link", () => {
  it("is visible ASCII, and leads where the URL leads", async () => {
    expect.hasAssertions();
    await expectPlainLocations(30);
  });

  it.each(["\r\n", "\n", "\r", "\u2028", "\u0000", "\ud800"])(
    "never comes from a clickUrl with %j in it: that is refused",
    async (end) => {
      const answer = await world.post("/text/message/send", client, {
        phone: ADA,
        text: "x",
        callbackData: "",
        sendPurpose: "a",
        clickUrl: `https://example.com/${end}${MARK}`,
      });
      expect(await answer.json()).toMatchObject({ code: 40001, details: [{ field: "clickUrl" }] });
    },
  );
});

describe("an answer", () => {
  it("has no header that a request has written", async () => {
    for (const end of BREAKS) {
      const text = `a${end}${MARK}`;
      const fields = { phone: ADA, text, callbackData: JSON.stringify(text), sendPurpose: "a" };
      expectPlain((await world.post("/text/message/send", client, fields)).headers);
      expectPlain((await world.post("/text/message/send", client, { ...fields, sendPurpose: text })).headers);
      expectPlain((await world.post("/text/subscription/status", client, { phone_numbers: [text] })).headers);
      world.advance(1);
      expectPlain(
        (await world.operator("PUT", "/websites/brand", { name: text, helpText: text, sender: text })).headers,
      );
      for (const path of [
        "/operator/websites/",
        "/l/",
        "/text/message/status?messageId=",
        "/operator/messages/",
        "/",
      ]) {
        const authorization = "Bearer operator-token-of-the-tests";
        expectPlain(
          (await world.fetch(path + encodeURIComponent(text.toWellFormed()), { headers: { authorization } })).headers,
        );
      }
    }
  });

  it("refuses an Idempotency-Key that is not visible ASCII, or comes twice", async () => {
    for (const key of ["a b", "a\tb", "", " ", "x".repeat(256)]) {
      const answer = await world.post("/text/message/send", client, SEND, { "idempotency-key": key });
      expect([key, await answer.json()]).toEqual([key, expect.objectContaining({ code: 40001 })]);
    }
    const headers = new Headers({ "x-client-id": client.clientId, "x-client-secret": client.clientSecret });
    headers.set("content-type", "application/json");
    headers.append("idempotency-key", "one");
    headers.append("idempotency-key", "two");
    const answer = await world.fetch("/text/message/send", { method: "POST", headers, body: JSON.stringify(SEND) });
    expect((await answer.json()) as object).toMatchObject({ code: 40001 });
    expect(await world.rows("SELECT 1 FROM messages")).toEqual([]);
  });
});

const SEND = { phone: ADA, text: "Brand: hello", callbackData: "{}", sendPurpose: "a" };

describe.each(CARRIERS)("what goes out through $name", (carrier) => {
  it("has no header that a client or an operator has written", async () => {
    const it = await CarrierWorld.create(carrier);
    for (const end of BREAKS) {
      const sender = `${OURS}${end}${MARK}`;
      for (const bad of [sender, `Brand${end}`, `MG${"0".repeat(32)}${end}`]) {
        const answer = await it.world.operator("PUT", "/websites/brand", {
          name: "x",
          carrier: carrier.name,
          sender: bad,
        });
        const { code, details } = (await answer.json()) as { code: number; details: { field: string }[] };
        expect([code, new Set(details.map(({ field }) => field))]).toEqual([40001, new Set(["sender"])]);
      }
      const text = `a${end.toWellFormed()}${MARK}`;
      const fields = {
        text,
        callbackData: JSON.stringify(text),
        clickUrl: "https://example.com/?x=y%0d%0aX-Injected:%20yes",
      };
      await it.submit({ ...fields, sendPurpose: "a" });
    }
    const calls = vi.mocked(fetch).mock.calls;
    expect(calls.length).toBeGreaterThanOrEqual(2 * BREAKS.length);
    for (const [input, init] of calls) {
      // As given: the Headers class would refuse or mend some of it.
      for (const [name, value] of Object.entries((init?.headers ?? {}) as Record<string, string>)) {
        expect([name, VISIBLE.test(value)]).toEqual([name, true]);
        expect(value).not.toContain("njected");
      }
      expect(String(input)).toMatch(/^[\x21-\x7e]+$/);
      expect(String(input)).not.toContain("njected");
    }
  });
});

describe("CSV for a spreadsheet", () => {
  it.each([
    ["=1+1", `"'=1+1"`],
    ["+1", `"'+1"`],
    ["-1-cmd", `"'-1-cmd"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t=1"`],
    ["\r=1", `"'\r=1"`],
    ["\n=1", `"'\n=1"`],
    ["＝1", `"'＝1"`],
    ["'=1", `"''=1"`],
    ["'a", `"'a"`],
    ['a"b,c', '"a""b,c"'],
    ["+12125550100", '"+12125550100"'],
    ["+12125550100+1", '"\'+12125550100+1"'],
    ["a=1", '"a=1"'],
    ["", '""'],
    [-5, "-5"],
  ])("has %j as %s", (cell, written) => {
    expect(writeCsv([[cell]])).toBe(`${written}\r\n`);
  });

  it("is read again as it was", () => {
    const cell = fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n,;\"' aé'") });
    const row = fc.array(cell, { minLength: 2, maxLength: 2 }).filter((cells) => cells.join("").trim() !== "");
    const table = fc.array(row, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(table, (rows) => {
        expect(csvRecords(writeCsv(rows)).map(({ fields }) => fields.map(readField))).toEqual(rows);
      }),
    );
  });

  it("is what the operator's report gives when asked, with no formula of a client's in it", async () => {
    await world.send(client, { phone: "+12125550177", sendPurpose: "-2-3" });
    await world.send(client, { phone: ADA, sendPurpose: "spring sale" });
    const answer = await world.operator("GET", "/websites/brand/report?by=purpose&format=csv");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8"]);
    const bytes = await answer.bytes();
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [heading, ...rows] = new TextDecoder().decode(bytes).split("\r\n");
    expect(heading).toMatch(
      /^"sendPurpose","accepted","scheduled","waiting","held",.*,"undelivered","FAILED_TO_SEND",.*,"segments",.*,"NO_RECEIPT"$/,
    );
    const reasons = ",0".repeat(15);
    expect(rows).toEqual([
      `"'-2-3",1,0,0,0,1,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0${reasons}`,
      `"spring sale",1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0${reasons}`,
      "",
    ]);
    const byDay = await (await world.operator("GET", "/websites/brand/report?format=csv")).text();
    expect(byDay.split("\r\n")[1]).toBe(`"2026-11-21",2,0,1,1,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0${reasons}`);
    const wrong = await world.operator("GET", "/websites/brand/report?format=xls");
    expect(await wrong.json()).toMatchObject({ code: 40001, details: [{ field: "format" }] });
  });
});
