import { beforeEach, describe, expect, it } from "vitest";
import { dumpStores } from "../stores.ts";
import { counts, json, prepare, world } from "./importing.ts";

prepare();

const columns = { phone: "phone_numbers", email: "email", subscribed: "subscribed" };

describe("an import of subscribers", () => {
  const subscription = async (phone: number) =>
    (await world.rows("SELECT subscribed, email FROM subscriptions WHERE phone = ?1", phone))[0];

  beforeEach(async () => {
    await world.website();
  });

  it("says what it imported and what it could not read", async () => {
    const answer = await json(
      world.subscribers("brand", [
        "+12125550100,Ada@Example.com,",
        "nope,,",
        "+12125550101,,FALSE",
        "+12125550100,,no",
      ]),
    );
    const body = {
      ...counts({ newOptedOut: 2 }),
      importId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      columns,
      invalidPhoneNumbers: ["nope"],
      invalidCells: [
        {
          ...{ line: 3, column: "phone_numbers", value: "nope" },
          message: "must be an E.164 phone number such as +12125550100: it has no digits",
        },
      ],
    };
    expect(answer).toEqual({ status: 200, body });
    expect(await subscription(12125550100)).toEqual({ subscribed: 0, email: "ada@example.com" });
    expect(await subscription(12125550101)).toEqual({ subscribed: 0, email: null });
  });

  it.each(["dryrun", "dry_run", "DryRun"])(
    "is refused with a switch that is written %s: it would be done",
    async (name) => {
      const answer = await json(world.subscribers("brand", ["+12125550100"], `?${name}=true`));
      const details = [{ field: name, message: "must be written as dryRun" }];
      expect(answer).toMatchObject({ status: 400, body: { code: 40001, details } });
      expect(await subscription(12125550100)).toBe(undefined);
    },
  );

  it("keeps an address that a later file does not name, and imports a number without a broken one", async () => {
    await world.subscribers("brand", ["+12125550100,ada@example.com"]);
    const answer = await json(world.subscribers("brand", ["+12125550100,,false", "+12125550101,not an address"]));
    const cell = { line: 3, column: "email", value: "not an address", message: "must be an e-mail address" };
    const lists = { invalidPhoneNumbers: [], invalidEmails: ["not an address"], invalidCells: [cell] };
    expect(answer.body).toEqual({
      ...counts({ newSubscribed: 1, becameOptedOut: 1 }),
      importId: expect.anything(),
      columns,
      ...lists,
    });
    expect(await subscription(12125550100)).toEqual({ subscribed: 0, email: "ada@example.com" });
  });

  it("records every change once, with the request that made it", async () => {
    await world.subscribers("brand", ["+12125550100"]);
    await world.subscribers("brand", ["+12125550100"]);
    await world.subscribers("brand", ["+12125550100,,false"]);
    const changes = await world.rows("SELECT was_subscribed, subscribed, source, proof FROM subscription_changes");
    expect(changes).toMatchObject([
      { was_subscribed: null, subscribed: 1, source: "import" },
      { was_subscribed: 1, subscribed: 0, source: "import" },
    ]);
    expect(changes[0]?.proof).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("stores nothing of a file that has wrong rows, and tells all of them, each with its line and value", async () => {
    const rows = ["+12125550100,,true", "", ",,", "+12125550101,,maybe", "nope,x,", "+12125550102,x,on"];
    const answer = await json(world.subscribers("brand", rows));
    const none = "must be an E.164 phone number such as +12125550100: it has no digits";
    expect(answer.body).toMatchObject({
      code: 40001,
      message: "4 rules are broken (subscribed, phone_numbers, email): details says which.",
    });
    expect(answer.body.details).toEqual([
      { field: "subscribed", message: "must be true or false", line: 5, value: "maybe" },
      { field: "subscribed", message: "must be true or false", line: 7, value: "on" },
      { field: "phone_numbers", message: none, line: 6, value: "nope" },
      { field: "email", message: "must be an e-mail address", line: 7, value: "x" },
    ]);
    expect(await world.rows("SELECT * FROM subscriptions")).toEqual([]);
  });

  it("tells the first hundred of very many wrong rows, and how many more there are", async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `+1212555${1000 + index},,maybe`);
    const { body } = await json(world.subscribers("brand", rows));
    const details = body.details as { field: string; message: string }[];
    expect(details.length).toBe(101);
    expect(details[99]).toMatchObject({ line: 101, value: "maybe" });
    expect(details[100]).toEqual({ field: "subscribed", message: "has 150 more rows with such faults" });
  });

  it("logs no number and no value of a file", async () => {
    world.logs.length = 0;
    await world.subscribers("brand", ["+12125550177,ada@example.com,", "+1-212-secret,x,", "+12125550178,,maybe"]);
    await world.subscribers("brand", ["+12125550177,ada@example.com,", "+1-212-secret,x,"]);
    expect(world.logs.length).toBeGreaterThan(0);
    expect(JSON.stringify(world.logs)).not.toMatch(/55501|secret|maybe|example\.com/);
  });

  it.each(["text/csv", "text/plain", "text/plain;charset=UTF-8"])("takes a file as %s", async (type) => {
    const csv = "phone_numbers,subscribed\n+12125550177,true\n";
    const answer = await json(world.operator("POST", "/websites/brand/subscribers", csv, type));
    expect([answer.status, answer.body.imported]).toEqual([200, 1]);
  });

  it.each([
    ["phone_numbers,subscribed\n+12125550177,true\n", "text/csv"],
    ["phone_numbers,subscribed\r\n+12125550177,true\r\n", "text/plain"],
    ['phone_numbers,name,subscribed\n+12125550177,"Ada, B.",true\n', "text/plain"],
    [`phone_numbers,subscribed\n${"+12125550177,true\n".repeat(10_000)}`, "text/csv"],
  ])("names a file that came as a string of JSON", async (csv, type) => {
    const answer = await json(world.operator("POST", "/websites/brand/subscribers", JSON.stringify(csv), type));
    expect([answer.status, answer.body.message]).toEqual([400, "body: is a string of JSON: send the file itself"]);
  });

  it("takes a column whose name has a backslash and an n", async () => {
    const csv = '"a\\n",phone_numbers,subscribed\nx,+12125550177,true\n';
    const answer = await json(world.operator("POST", "/websites/brand/subscribers", csv, "text/csv"));
    expect([answer.status, answer.body.imported]).toEqual([200, 1]);
  });

  it("wants text/csv with a column phone_numbers", async () => {
    expect((await json(world.operator("POST", "/websites/brand/subscribers", {}))).body.code).toBe(41500);
    const answer = await json(world.operator("POST", "/websites/brand/subscribers", "phone\n+1", "text/csv"));
    expect(answer.body).toMatchObject({ code: 40001, details: [{ field: "body" }] });
  });
});

describe("a dry run of an import", () => {
  const dryRun = async (lines: string[], value = "true") => {
    const answer = await json(world.subscribers("brand", lines, `?dryRun=${value}`));
    const { rows, refused, repeated, withoutProof, preview, ...others } = answer.body;
    const { separator: _separator, ...body } = others;
    return {
      status: answer.status,
      body,
      file: { rows, refused, repeated, withoutProof, shown: (preview as [])?.length },
    };
  };

  const LINES = ["+12125550100,,", "+12125550101,new@example.com,", "+12125550102,,false", "+12125550103,,", "nope,x,"];

  beforeEach(async () => {
    await world.website("brand", { sender: "+12125550000" });
    await world.subscribers("brand", ["+12125550100", "+12125550101", "+12125550102", "+12125550104", "+12125550105"]);
    await world.operator("DELETE", "/websites/brand/people/+12125550104");
  });

  it("says what the import would change and refuse, stores nothing, and is no change of the audit log", async () => {
    const before = await dumpStores(world);
    const lines = [...LINES, "+12125550104,,"];
    const none = "must be an E.164 phone number such as +12125550100: it has no digits";
    const body = {
      ...counts({ newSubscribed: 1, newAddress: 1, becameOptedOut: 1, unchanged: 1, keptUnsubscribed: 1 }),
      ...{ columns, invalidPhoneNumbers: ["nope"], optedOutNumbers: ["+12125550104"] },
      invalidCells: [{ line: 6, column: "phone_numbers", value: "nope", message: none }],
    };
    const file = { rows: 6, refused: 1, repeated: 0, withoutProof: 4, shown: 6 };
    expect(await dryRun(lines)).toEqual({ status: 200, body, file });
    expect(await dumpStores(world)).toBe(before);
    const real = await json(world.subscribers("brand", lines));
    expect(real.body).toEqual({ ...body, importId: expect.anything() });
    const again = await json(world.subscribers("brand", lines));
    expect(again.body).toMatchObject(counts({ unchanged: 4, keptUnsubscribed: 1 }));
  });

  it.each([
    [",", "points,Phone_Numbers,store,", ["points", "store"]],
    [";", "sep=;\nphone_numbers;email", []],
    ["\t", "phone_numbers\tstore id", ["store id"]],
  ])("says how it reads the file: %j", async (separator, head, ignoredColumns) => {
    const path = "/websites/brand/subscribers?dryRun=true&everyone=subscribed";
    const dry = await json(world.operator("POST", path, `${head}\n`, "text/csv"));
    expect(dry.body).toMatchObject({ separator, ignoredColumns });
  });

  it("counts the same for thousands of numbers, where the website has erased people", async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `+1212${5_600_000 + index}`);
    const lines = [...LINES, ...many, "+12125550104"];
    const dry = await dryRun(lines);
    expect(dry.file).toEqual({ rows: 3006, refused: 1, repeated: 0, withoutProof: 3004, shown: 20 });
    expect(dry.body).toMatchObject(
      counts({ newSubscribed: 3001, newAddress: 1, becameOptedOut: 1, unchanged: 1, keptUnsubscribed: 1 }),
    );
    expect((await json(world.subscribers("brand", lines))).body).toEqual({ ...dry.body, importId: expect.anything() });
  });

  it("stores nothing of a file that has a wrong row, and wants true or false", async () => {
    expect((await dryRun(["+12125550100,,maybe"])).body).toMatchObject({ code: 40001 });
    expect((await dryRun(LINES, "yes")).body).toMatchObject({ code: 40001, details: [{ field: "dryRun" }] });
    expect((await dryRun(LINES, "false")).body.importId).toBeDefined();
  });
});

describe("the id of an import", () => {
  it("stands in the audit log and on the page of the website: who, when, how many; and what an undo restored", async () => {
    await world.website();
    const { body } = await json(world.subscribers("brand", ["+12125550100", "+12125550101,,false"]));
    const importId = String(body.importId);
    await world.operator("POST", `/imports/${importId}/undo`);
    expect((await world.operator("POST", `/imports/${importId.toUpperCase()}/undo`)).status).toBe(200);
    const { body: website } = await json(world.operator("GET", "/websites/brand"));
    const [undo, added] = website.changes as Record<string, unknown>[];
    const who = {
      operator: "OPERATOR_TOKEN",
      at: new Date(world.now).toISOString(),
      subject: importId,
      outcome: "done",
    };
    expect(undo).toMatchObject({ ...who, action: "undo-import", after: { restored: 2, changedSince: 0 } });
    expect(added).toMatchObject({
      ...{ ...who, action: "import", requestId: importId },
      after: { imported: 2, newSubscribed: 1, newOptedOut: 1, becameOptedOut: 0, invalid: 0 },
    });
    expect((website.changes as unknown[]).length).toBe(3);
  });

  it("stands with each change of a person, also of one that an undo has taken away", async () => {
    await world.website();
    const { body } = await json(world.subscribers("brand", ["+12125550100,ada@example.com"]));
    await world.operator("POST", `/imports/${body.importId}/undo`);
    const { body: person } = await json(world.operator("GET", "/websites/brand/people/+12125550100"));
    expect(person).toMatchObject({
      ...{ subscribed: false, email: null },
      changes: [
        { changeId: 1, from: null, to: true, addressChanged: false, source: "import", proof: body.importId },
        { changeId: 2, from: true, to: false, addressChanged: false, source: "undo", proof: body.importId },
      ],
    });
  });
});
