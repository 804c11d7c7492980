/** The days of a report are those of a time zone, whatever becomes of the messages that it counts. */
import { describe, expect, it } from "vitest";
import type { Report } from "../../../src/domain/operations/report.ts";
import { recordClick } from "../../../src/store/messages/links.ts";
import { removeMessages } from "../../../src/store/messages/retention.ts";
import { countSlices } from "../../../src/store/operations/report-counts.ts";
import { ADA, client, get, prepare, report, world } from "../../operator/reporting.ts";
import { Random } from "../../random.ts";

prepare();

const HOUR = 3_600_000;

/** A zone, and a change of its clock. */
const CHANGES: [timeZone: string, at: string][] = [
  ["America/New_York", "2026-03-08T07:00Z"],
  ["America/New_York", "2026-11-01T06:00Z"],
  ["Europe/London", "2026-10-25T01:00Z"],
  ["America/St_Johns", "2026-03-08T05:30Z"],
  ["Africa/Cairo", "2026-10-29T21:00Z"],
  ["America/Santiago", "2026-09-06T04:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
  ["Pacific/Chatham", "2026-09-26T14:00Z"],
  ["Asia/Kolkata", "2026-07-01T00:00Z"],
  ["UTC", "2026-07-01T00:00Z"],
];

interface Text {
  id: string;
  at: number;
  status: "DELIVERED" | "FAILED_TO_SEND";
  clicks: number;
  isStored: boolean;
}

class Zones {
  readonly #random: Random;
  readonly #around: number;
  texts: Text[] = [];

  constructor(seed: number, at: string) {
    this.#random = new Random(seed);
    this.#around = Date.parse(at);
  }

  /** Most of them within two days of the change, many at a full quarter of an hour or beside it. */
  async begin(): Promise<void> {
    for (let index = 0; index < 60; index++) {
      const quarter = Math.floor((this.#around + this.#random.between(-48, 48) * HOUR) / 900_000) * 900_000;
      const at = quarter + this.#random.pick([0, -1, 1, this.#random.between(0, 900_000)]);
      const status = this.#random.pick(["DELIVERED", "DELIVERED", "FAILED_TO_SEND"] as const);
      this.texts.push({ id: `m${index}`, at, status, clicks: 0, isStored: true });
    }
    await world.rows(
      `INSERT INTO messages (message_id, website_id, client_id, phone, text, click_url, callback_data, send_purpose, status, accepted_at,
         updated_at, segments, country)
       SELECT j.value ->> 'id', 'brand', '', 12125550100, '', 'https://example.com/', '', 'sale', j.value ->> 'status', j.value ->> 'at',
         j.value ->> 'at', 1, 'US' FROM json_each(?1) j`,
      JSON.stringify(this.texts),
    );
  }

  async step(): Promise<string> {
    const happens = this.#random.pick(["close", "purge", "erase", "click", "click"] as const);
    await this[happens]();
    return happens;
  }

  /** To anywhere in a day, as it is closed that has very many messages. */
  async close(): Promise<void> {
    const [row] = await world.rows("SELECT counted_until FROM websites WHERE website_id = 'brand'");
    const start = Number(row?.counted_until);
    const until = this.#around + this.#random.between(-48 * HOUR, 48 * HOUR);
    if (until > start) await countSlices(world.deps.db, [{ websiteId: "brand", start, until, isOpen: false }]);
  }

  async purge(): Promise<void> {
    const gone = this.#some();
    await removeMessages(
      world.deps.db,
      gone.map(({ id, at }) => ({ messageId: id, websiteId: "brand", age: at })),
    );
    for (const text of gone) text.isStored = false;
  }

  async erase(): Promise<void> {
    const gone = this.#some();
    const ids = JSON.stringify(gone.map(({ id }) => id));
    await world.rows(
      "UPDATE messages SET phone = 12125550001 WHERE message_id IN (SELECT value FROM json_each(?1))",
      ids,
    );
    await world.operator("DELETE", "/websites/brand/people/+12125550001");
    for (const text of gone) text.isStored = false;
  }

  async click(): Promise<void> {
    const [text] = this.#some();
    if (!text) return;
    const click = { messageId: text.id, clickedAt: world.now, isPerson: true, clickId: crypto.randomUUID() };
    await recordClick(world.deps.db, click);
    text.clicks += 1;
  }

  #some(): Text[] {
    return this.#random.shuffle(this.texts.filter(({ isStored }) => isStored)).slice(0, 4);
  }
}

const COLUMNS = ["accepted", "delivered", "segments", "clicked", "clicks"] as const;

/** By day, of those within the days, as the calendar of the runtime has them. */
function expected(texts: Text[], timeZone: string, from: string, to: string): [string, ...number[]][] {
  const calendar = new Intl.DateTimeFormat("en-CA", { timeZone });
  const days = Map.groupBy(texts, ({ at }) => calendar.format(at));
  const counted = [...days]
    .filter(([day]) => from <= day && day <= to)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return counted.map(([day, own]) => {
    const delivered = own.filter(({ status }) => status === "DELIVERED").length;
    const clicked = own.filter(({ clicks }) => clicks > 0).length;
    return [day, own.length, delivered, delivered, clicked, own.reduce((sum, { clicks }) => sum + clicks, 0)];
  });
}

describe("a report by day", () => {
  it.each(CHANGES)("has the days of %s around %s, and of any other zone", async (timeZone, at) => {
    const zones = new Zones(
      CHANGES.findIndex((it) => it[0] === timeZone && it[1] === at),
      at,
    );
    await zones.begin();
    const random = new Random(Date.parse(at));
    const day = (days: number) => new Date(Date.parse(at) + days * 24 * HOUR).toISOString().slice(0, 10);
    for (let step = 0; step < 8; step++) {
      const happened = await zones.step();
      for (const zone of [timeZone, random.pick(CHANGES)[0]]) {
        const [from, to] = [day(random.between(-3, -1)), day(random.between(0, 3))];
        const query = `timeZone=${encodeURIComponent(zone)}&from=${from}&to=${to}`;
        const report: Report = await (await get(`/websites/brand/report?${query}`)).json();
        const days = expected(zones.texts, zone, from, to);
        const found = report.rows.map((row) => [row.day, ...COLUMNS.map((column) => row[column])]);
        expect([step, happened, query, found]).toEqual([step, happened, query, days]);
        const sums = COLUMNS.map((_, index) => days.reduce((sum, row) => sum + Number(row[index + 1]), 0));
        for (const by of ["purpose", "country", "sender"]) {
          const { total } = (await (await get(`/report?by=${by}&${query}`)).json()) as Report;
          expect([by, ...COLUMNS.map((column) => total[column])]).toEqual([by, ...sums]);
        }
      }
    }
  });
});

describe("a report without days", () => {
  it.each([
    ["", "UTC", "2026-10-23", "2026-11-21"],
    ["timeZone=", "UTC", "2026-10-23", "2026-11-21"],
    ["timeZone=Pacific/Kiritimati", "Pacific/Kiritimati", "2026-10-24", "2026-11-22"],
    ["timeZone=america/adak", "america/adak", "2026-10-23", "2026-11-21"],
  ])("with %s is of the 30 days up to the day that it is there", async (query, timeZone, from, to) => {
    expect(await report(query)).toMatchObject({ timeZone, from, to });
  });
});

describe("a report by sender", () => {
  it("counts a day of the zone for the sender that the website had at the end of that day", async () => {
    const send = async (at: string) => {
      world.now = Date.parse(at);
      await world.send(client, { phone: ADA });
    };
    await send("2026-11-22T04:00Z");
    await send("2026-11-22T05:00Z");
    await world.website("brand", { sender: "+12125550000" });
    await send("2026-11-23T05:00Z");
    await world.website("brand", { sender: "+12125550001" });
    const rows = async (timeZone: string) =>
      (await report(`by=sender&timeZone=${timeZone}`)).rows.map(({ sender, accepted }) => [sender, accepted]);
    expect(await rows("America/New_York")).toEqual([
      [null, 1],
      ["+12125550000", 1],
      ["+12125550001", 1],
    ]);
    expect(await rows("UTC")).toEqual([
      ["+12125550000", 2],
      ["+12125550001", 1],
    ]);
  });
});
