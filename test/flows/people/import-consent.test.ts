/** A file subscribes nobody who has opted out, unless it is said so; and nobody whom a column that is not read has opted out. */
import { beforeEach, describe, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";
import { expectNamed, list, loadInto } from "./import-consent-stage.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const EVE = "+12125550102";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  client = await world.client("brand");
});

const load = (csv: string, query = "") => loadInto(world, csv, query);

const RESUBSCRIBE = "?resubscribe=true";

const stateOf = async (phone: string) => {
  const sql = "SELECT subscribed, email FROM subscriptions WHERE phone = ?1";
  const [row] = await world.rows(sql, Number(phone.slice(1)));
  return row ? [row.subscribed, row.email] : null;
};
const ledger = () => world.rows("SELECT * FROM subscription_changes ORDER BY change_id");

const unsubscribe = () => world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
const stop = () =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: "in-1", from: ADA, to: [OURS], text: "STOP", keyword: null, answeredByCarrier: false },
    }),
  );

describe("whom anyone has unsubscribed", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["a client", unsubscribe],
    ["another import", () => load(`phone_numbers,subscribed\n${ADA},false`)],
    ["an import that brought the number", () => load(`phone_numbers,subscribed\n${ADA},no\n`, RESUBSCRIBE)],
  ])("an import leaves so, and names: %s", async (_, say) => {
    await load(`phone_numbers,email\n${ADA},ada@example.com`);
    await say();
    const [before, state] = [await ledger(), await stateOf(ADA)];
    const counts = { imported: 1, newSubscribed: 1, becameSubscribed: 0, unchanged: 0, keptUnsubscribed: 1 };
    const file = `phone_numbers,email,subscribed\n${ADA},new@example.com,true\n${BOB},,true`;
    const dry = await load(file, "?dryRun=true");
    expect(dry.body).toMatchObject({ ...counts, unsubscribedNumbers: [ADA] });
    expect(dry.body.optedOutNumbers).toBeUndefined();
    const real = await load(file);
    const { importId, ...told } = real.body;
    expect(importId).toBeDefined();
    expect(real.status).toBe(200);
    expect(dry.body).toMatchObject(told);
    expect(await stateOf(ADA)).toEqual(state);
    expect(state?.[0]).toBe(0);
    expect((await ledger()).slice(0, -1)).toEqual(before);
    expect(await stateOf(BOB)).toEqual([1, null]);
  });

  it("an import subscribes again where the request says so, and an undo takes that back", async () => {
    await load(`phone_numbers,email\n${ADA},ada@example.com`);
    await unsubscribe();
    const file = `phone_numbers,email\n${ADA},new@example.com`;
    const counts = { imported: 1, newSubscribed: 0, becameSubscribed: 1, unchanged: 0, keptUnsubscribed: 0 };
    expect((await load(file, "?dryRun=true&resubscribe=true")).body).toMatchObject(counts);
    const { body } = await load(file, RESUBSCRIBE);
    expect(body).toMatchObject(counts);
    expect(body.unsubscribedNumbers).toBeUndefined();
    expect(await stateOf(ADA)).toEqual([1, "new@example.com"]);
    const answer = await world.operator("GET", "/audit?website=brand");
    const { entries } = (await answer.json()) as { entries: { after: object }[] };
    expect(entries[0]?.after).toMatchObject({ ...counts, resubscribe: true });
    await world.operator("POST", `/imports/${body.importId}/undo`);
    expect(await stateOf(ADA)).toEqual([0, "ada@example.com"]);
  });

  it("an import never subscribes again who has texted STOP, whatever the request says", async () => {
    await load(list(ADA));
    await stop();
    for (const query of ["", RESUBSCRIBE, "?dryRun=true&resubscribe=true"]) {
      const { body } = await load(list(ADA, BOB), query);
      expect(body).toMatchObject({ imported: 1, keptUnsubscribed: 1, optedOutNumbers: [ADA] });
      expect(body.unsubscribedNumbers).toBeUndefined();
      expect(await stateOf(ADA)).toEqual([0, null]);
    }
  });

  it("an undo of an import gives back nothing that it has left", async () => {
    await unsubscribe();
    const { body } = await load(list(ADA, BOB));
    const answer = await world.operator("POST", `/imports/${body.importId}/undo`);
    expect(await answer.json()).toMatchObject({ restored: 1, changedSince: 0 });
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([[0, null], null]);
  });

  it("a client subscribes again, as before", async () => {
    await unsubscribe();
    const body = { phone_numbers: [ADA], sendPurpose: "sign-up" };
    const answer = await world.post("/text/subscribe", client, body);
    expect(await answer.json()).toMatchObject({ message: "1 number is subscribed." });
    expect(await stateOf(ADA)).toEqual([1, null]);
  });

  it("is counted, and named, also where the website has erased people", async () => {
    await expectNamed(world, 60);
  });

  it("wants resubscribe to be true or false", async () => {
    expect(await load(list(ADA), "?resubscribe=yes")).toMatchObject({
      status: 400,
      body: { code: 40001, details: [{ field: "resubscribe", message: "must be true or false" }] },
    });
  });
});

describe("an opt-out in a file", () => {
  it.each([
    ["after", ["true", "false"]],
    ["before", ["false", "true"]],
    ["between", ["1", "no", "yes"]],
  ])("counts %s an opt-in of the same number, also with resubscribe", async (_, words) => {
    for (const query of ["", RESUBSCRIBE]) {
      await load(`phone_numbers,subscribed\n${words.map((word) => `${ADA},${word}`).join("\n")}`, query);
      expect(await stateOf(ADA)).toEqual([0, null]);
    }
  });

  it("counts where its two rows come in different pieces", async () => {
    const many = Array.from({ length: 12_000 }, (_, index) => `+1212${5_600_000 + index},t`);
    const rows = [`${ADA},true`, `${BOB},false`, ...many, `${ADA},false`, `${BOB},true`];
    expect((await load(`phone_numbers,subscribed\n${rows.join("\n")}`)).body).toMatchObject({ imported: 12_002 });
    expect([await stateOf(ADA), await stateOf(BOB)]).toEqual([
      [0, null],
      [0, null],
    ]);
  });
});

const ADVICE =
  "and none headed subscribed: name the column subscribed and write true or false in each row, or delete it if everyone in the file has agreed to be texted";

describe("a column that looks like a state", () => {
  it.each(["status", "Opted Out?", " \u200bSMS_Opt_Out__c"])(
    "is refused where none is headed subscribed: %s",
    async (name) => {
      for (const [query, separator] of [
        ["", ";"],
        ["?dryRun=true", ","],
      ]) {
        const file = ["phone_numbers", name, "email"].join(separator);
        const csv = `${file}\n${[ADA, "unsubscribed", ""].join(separator)}\n`;
        const looks = `has a column headed ${JSON.stringify(name.trim().replace("\u200b", ""))}, which looks like a state, `;
        const refused = { status: 400, body: { code: 40001, message: `body: ${looks}${ADVICE}` } };
        expect(await load(csv, query)).toMatchObject(refused);
        const silent = await world.operator("POST", `/websites/brand/subscribers${query}`, csv, "text/csv");
        expect(await silent.json()).toMatchObject(refused.body);
      }
      expect(await stateOf(ADA)).toBeNull();
    },
  );

  it.each(["name", "customer_state", "email_opt_out_link"])("is another one than %s", async (name) => {
    expect((await load(`phone_numbers,${name}\n${ADA},x`)).status).toBe(200);
  });

  it("is no matter beside a column subscribed, in any case", async () => {
    const { body } = await load(`status,Subscribed,phone_numbers\nactive,FALSE,${ADA}`);
    expect(body).toMatchObject({ columns: { phone: "phone_numbers", email: null, subscribed: "Subscribed" } });
    expect(await stateOf(ADA)).toEqual([0, null]);
  });
});

describe("a file without a column subscribed", () => {
  it.each(["", "?dryRun=true", RESUBSCRIBE])(
    "is refused unless the request says that everyone has agreed: %j",
    async (query) => {
      const csv = `phone_numbers,email\n${ADA},`;
      const answer = await world.operator("POST", `/websites/brand/subscribers${query}`, csv, "text/csv");
      const { code, details } = (await answer.json()) as {
        code: number;
        details: { field: string; message: string }[];
      };
      expect([answer.status, code, details.map(({ field }) => field)]).toEqual([400, 40001, ["everyone"]]);
      expect(details[0]?.message).toMatch(
        /^must be subscribed if everyone in the file has agreed.*; it has "phone_numbers", "email"$/,
      );
      expect(await stateOf(ADA)).toBeNull();
      expect((await load(csv, query)).body).toMatchObject({ newSubscribed: 1, newOptedOut: 0 });
    },
  );

  it("has nobody else say so: beside the column, and with another word, everyone is refused", async () => {
    const csv = `phone_numbers,subscribed\n${ADA},true`;
    for (const [file, word] of [
      [csv, "subscribed"],
      [list(ADA), "true"],
    ]) {
      const path = `/websites/brand/subscribers?everyone=${word}`;
      const answer = await world.operator("POST", path, file, "text/csv");
      expect(await answer.json()).toMatchObject({ code: 40001, details: [{ field: "everyone" }] });
    }
    expect(await stateOf(ADA)).toBeNull();
  });

  it("leaves in the audit log who said so", async () => {
    await load(list(ADA));
    const answer = await world.operator("GET", "/audit?website=brand");
    const { entries } = (await answer.json()) as { entries: { after: object }[] };
    expect(entries[0]?.after).toMatchObject({ newSubscribed: 1, everyone: "subscribed" });
  });
});

describe("opt-outs whose number cannot be read", () => {
  it("are counted apart, row by row, also in a dry run; one that the website knows is opted out", async () => {
    await load(list(ADA));
    await world.rows("UPDATE subscriptions SET phone = 1212555010");
    await world.rows("UPDATE subscription_changes SET phone = 1212555010");
    const words = [
      "12125550100,false",
      ",no",
      "nope,0",
      "nope,0",
      "x,true",
      "+1212555010,no",
      "+1212555011,no",
      `'${EVE},no`,
    ];
    const csv = ["phone_numbers,subscribed", ...words].join("\n");
    for (const query of ["?dryRun=true", ""]) {
      const { body } = await load(csv, query);
      expect(body).toMatchObject({ unreadableOptOuts: 5, becameOptedOut: 1, newOptedOut: 1, imported: 2 });
    }
    expect(await stateOf(EVE)).toEqual([0, null]);
  });
});

describe("the columns that were read", () => {
  it.each([
    [list(ADA), { phone: "phone_numbers", email: null, subscribed: null }],
    [
      `sep=;\r\n"Phone_Numbers";e-mail;EMAIL\r\n${ADA};x;`,
      { phone: "Phone_Numbers", email: "EMAIL", subscribed: null },
    ],
  ])("are named by a dry run and by the import: %j", async (file, columns) => {
    expect((await load(file, "?dryRun=true")).body.columns).toEqual(columns);
    expect((await load(file)).body.columns).toEqual(columns);
  });
});
