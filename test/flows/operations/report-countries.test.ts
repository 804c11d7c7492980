/** By country, a text counts for the country of the number to which it was to go when it was accepted. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../../src/domain/operations/report.ts";
import { storeGroup } from "../../../src/flows/messages/store-sends.ts";
import { client, DAY_SECONDS, get, prepare, report, world } from "../../operator/reporting.ts";
import { SEND } from "../../world.ts";
import { ADA as ADA_DIGITS, SendsStage } from "../messages/store-sends-stage.ts";

prepare();

const ADDRESSES = [
  ["+12125550142", "us@example.com"],
  ["+14165550142", "ca@example.com"],
  ["+447700900142", "gb@example.com"],
  ["+17875550142", "pr@example.com"],
] as const;

const rows = ({ rows: of, total }: Report) => [...of.map((row) => [row.country, row.accepted]), total.accepted];

beforeEach(async () => {
  await world.subscribers(
    "brand",
    ADDRESSES.map(([phone, email]) => `${phone},${email},true`),
  );
});

describe("a report by country", () => {
  const to = (recipient: object) => ({ ...SEND, email: "", phone: "", ...recipient });
  const expected = [[null, 2], ["CA", 2], ["GB", 3], ["PR", 1], ["US", 2], 10];

  it("has the country of each number, however it was named, and one row for those without a number", async () => {
    for (const [phone, email] of ADDRESSES.slice(0, 3)) {
      await world.send(client, to({ phone }));
      await world.send(client, to({ email }));
    }
    // Nobody has subscribed the number; nobody has the address; a satellite telephone is in no country.
    const others = [{ phone: "+447700900199" }, { email: "nobody@example.com" }, { email: "pr@example.com" }];
    const messages = [...others, { phone: "+881612345678" }].map(to);
    await world.post("/text/bulk/message/send", client, { messages });
    for (const days of [0, 2, 29]) {
      world.advance(days * DAY_SECONDS);
      await world.sweep();
      const found = await report("by=country&from=2026-11-21&to=2026-12-31");
      expect([days, ...rows(found)]).toEqual([days, ...expected]);
      expect(rows(await (await get("/report?by=country&from=2026-11-21&to=2026-12-31")).json())).toEqual(expected);
    }
    const csv = await (await get("/report?by=country&format=csv&from=2026-11-21&to=2026-12-31")).text();
    expect(csv.split("\r\n").map((line) => line.split(",").slice(0, 2).join())).toEqual([
      `"country","accepted"`,
      ...[`"none",2`, `"CA",2`, `"GB",3`, `"PR",1`, `"US",2`, ""],
    ]);
  });
});

describe("the country of an e-mail address", () => {
  it("is stored only if the address still has the number of which it is", async () => {
    const stage = await SendsStage.begin();
    const absent = { phone: null, email: "ada@example.com" };
    const sends = [
      stage.send({ ...absent, country: "US", phoneFound: ADA_DIGITS }),
      stage.send({ ...absent, country: "CA", phoneFound: 14165550142 }),
    ];
    await storeGroup(stage.world.deps, sends);
    expect(await stage.world.rows("SELECT phone, country FROM messages ORDER BY rowid")).toEqual([
      { phone: ADA_DIGITS, country: "US" },
      { phone: ADA_DIGITS, country: null },
    ]);
  });
});
