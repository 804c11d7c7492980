/** Where a person is follows from the schema: no table with a number is left out where somebody is found, exported or erased. */
import { beforeEach, describe, expect, it } from "vitest";
import { PERSON_TABLES, type PersonTable } from "../../../src/store/people/person-tables.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const DIGITS = Number(ADA.slice(1));

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand(["+12125550199"]);
});

/** Columns whose names say that they have a number, and whose number is a website's own. */
const OWN_NUMBERS = [
  "carrier_pauses.sender",
  "former_senders.sender",
  "inbound_texts.recipient",
  "messages.sender",
  "sender_homes.sender",
  "sender_paces.sender",
  "websites.sender",
];

const OF_A_MESSAGE = "ids of messages: its rows go with them, or tell nothing without them";
const SETTINGS = "what an operator has set up";
const COUNTS = "counts";
const MASKED = "numbers in words are masked before they are stored";
const HASHES = "ids and hashes";

/** The tables without a number of a person: their columns of text, JSON among them, and why none has one. */
const WITHOUT_NUMBERS: Record<string, [columns: string, why: string]> = {
  accounts: ["name carrier settings sealed", SETTINGS],
  audit_log: ["request_id operator action website_id client_id subject before after outcome", MASKED],
  bulk_parts: ["first_id body_hash attempt", HASHES],
  cancelled_messages: ["message_id", OF_A_MESSAGE],
  carrier_pauses: ["carrier sender about cause", MASKED],
  client_homes: ["client_id", SETTINGS],
  clicks: ["message_id click_id last_click_id", OF_A_MESSAGE],
  clients: [
    "client_id website_id callback_url operations secret_hash callback_secret old_secret_hash old_callback_secret events name refusal secret_end old_secret_end",
    SETTINGS,
  ],
  report_counts: ["website_id send_purpose country status reason", COUNTS],
  database_sizes: ["", COUNTS],
  dead_jobs: ["id queue body error", MASKED],
  ended_tries: ["call", HASHES],
  erased_people: ["website_id mark", "the mark is a keyed hash: it tells that a number stays opted out, and no number"],
  erasure_key: ["key_id sealed", HASHES],
  failing_endpoints: ["client_id host cause", "how an endpoint failed, and not for whom"],
  former_senders: ["carrier sender website_id", SETTINGS],
  homes: ["website_id database", SETTINGS],
  idempotency_keys: [
    "client_id operation idempotency_key body_hash message_id",
    "the key is a client's own word, which means nothing to the service, and is gone after a day",
  ],
  imports: ["import_id website_id file operator counted_request", COUNTS],
  last_sweep: ["failed_jobs alerts_refusal", COUNTS],
  late_tries: ["", HASHES],
  links: ["code message_id url", OF_A_MESSAGE],
  operator_sessions: ["secret_hash session_id token_hash", HASHES],
  operator_tokens: ["token_hash name created_by role", SETTINGS],
  refused_requests: ["client_id request_id method path message details", MASKED],
  sender_homes: ["carrier sender", SETTINGS],
  sender_paces: ["carrier sender", SETTINGS],
  suppressed_messages: ["message_id first_id", OF_A_MESSAGE],
  told_problems: [
    "problem subject detail",
    "the subject is a carrier, a client or a database; numbers in the cause are masked",
  ],
  counts: ["span kind subject detail", COUNTS],
  counted_ledgers: ["", COUNTS],
  websites: ["website_id name carrier sender settings holds database", SETTINGS],
};

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
  dflt_value: string | null;
}

async function readTables(): Promise<Map<string, Column[]>> {
  const tables = await world.rows(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'd1%' ORDER BY name",
  );
  const read = async (name: string) =>
    [name, (await world.rows(`PRAGMA table_info("${name}")`)) as unknown as Column[]] as const;
  return new Map(await Promise.all(tables.map(({ name }) => read(String(name)))));
}

describe("the schema", () => {
  it("has no table that is neither a person's nor known to have no number", async () => {
    const found = await readTables();
    for (const name of Object.keys(PERSON_TABLES)) found.delete(name);
    const texts = [...found].map(([name, columns]) => {
      const ofText = columns.filter(({ type }) => type !== "INTEGER").map((column) => column.name);
      return [name, ofText.join(" ")];
    });
    const known = Object.entries(WITHOUT_NUMBERS).map(([name, [columns]]) => [name, columns]);
    expect(texts).toEqual(known.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
  });

  it("has no column named as a number that is neither a person's nor a website's own", async () => {
    const named = [...(await readTables())].flatMap(([table, columns]) =>
      columns
        .filter(({ name }) => /phone|sender|recipient|number|mobile|msisdn|(^|_)(from|to|tel)(_|$)/i.test(name))
        .map(({ name }) => `${table}.${name}`),
    );
    const ofPeople = Object.entries(PERSON_TABLES).map(([table, column]) => `${table}.${column}`);
    // How far an import is undone.
    const others = ["imports.undone_to"];
    expect(named.filter((name) => !others.includes(name)).sort()).toEqual([...ofPeople, ...OWN_NUMBERS].sort());
  });
});

const ID = "00000000-0000-4000-8000-0000000000aa";

/** What a row of the table must have to be shown, and what of it the export shows. */
const ROWS: Record<PersonTable, { values: Record<string, unknown>; shown: string }> = {
  subscriptions: { values: { subscribed: 1, email: "ada@example.com", change_id: 1 }, shown: "ada@example.com" },
  subscription_changes: { values: { change_id: 1000, source: "import", proof: "the proof" }, shown: "the proof" },
  messages: { values: { message_id: ID, status: "DELIVERED", text: "For Ada" }, shown: "For Ada" },
  inbound_texts: { values: { text: "From Ada", carrier: "sandbox" }, shown: "From Ada" },
  events: { values: { event: "message.received", body: JSON.stringify({ from: ADA }) }, shown: `"from":"${ADA}"` },
  duplicate_keys: { values: { message_id: ID }, shown: ID },
  number_faults: { values: { code: "30005" }, shown: '"code":"30005"' },
};

/** A row with the number of Ada, and with whatever else the table requires. */
async function insert(table: PersonTable, websiteId = "brand"): Promise<void> {
  const columns = (await readTables()).get(table) ?? [];
  const own = PERSON_TABLES[table];
  const values: Record<string, unknown> = { website_id: websiteId, ...ROWS[table].values };
  values[own] = own === "sender" ? ADA : DIGITS;
  for (const { name, type, notnull, pk, dflt_value } of columns) {
    if (name in values || (notnull === 0 && pk === 0) || dflt_value !== null) continue;
    values[name] = type === "INTEGER" ? 1 : `${name} of a row`;
  }
  const names = Object.keys(values);
  await world.rows(
    `INSERT INTO ${table} (${names}) VALUES (${names.map((_, index) => `?${index + 1}`)})`,
    ...Object.values(values),
  );
}

const TABLES = Object.keys(PERSON_TABLES) as PersonTable[];
const count = async (table: PersonTable) =>
  (await world.rows(`SELECT count(*) AS count FROM ${table} WHERE ${PERSON_TABLES[table]} IN (${DIGITS}, '${ADA}')`))[0]
    ?.count;
const call = async (path: string, method = "GET") => {
  const answer = await world.operator(method, path);
  return { status: answer.status, body: (await answer.json()) as { websites: { websiteId: string | null }[] } };
};
const importAda = async () =>
  (await (await world.subscribers("brand", [ADA])).json()) as {
    importId: string;
    newSubscribed: number;
    optedOutNumbers?: string[];
  };

describe.each(TABLES)("a number that only %s has", (table) => {
  beforeEach(() => insert(table));

  it("is found, in all websites and in its own", async () => {
    const everywhere = await call(`/people/${ADA}`);
    expect([everywhere.status, everywhere.body.websites.map(({ websiteId }) => websiteId)]).toEqual([200, ["brand"]]);
    expect(await call(`/websites/brand/people/${ADA}`)).toMatchObject({ status: 200, body: { phone: ADA } });
  });

  it.each(["/people", "/websites/brand/people"])("is exported by %s, with the row", async (path) => {
    const { status, body } = await call(`${path}/${ADA}/export`);
    expect([status, body.websites.map(({ websiteId }) => websiteId)]).toEqual([200, ["brand"]]);
    expect(JSON.stringify(body)).toContain(ROWS[table].shown);
  });

  it("is erased everywhere, and no import subscribes it again", async () => {
    expect(await count(table)).toBe(1);
    const { body } = await call(`/people/${ADA}`, "DELETE");
    expect(body).toMatchObject({ websites: [{ websiteId: "brand" }], failed: [] });
    expect(await count(table)).toBe(0);
    expect(await importAda()).toMatchObject({ newSubscribed: 0, optedOutNumbers: [ADA] });
    expect((await call(`/people/${ADA}`)).status).toBe(404);
  });

  it("is erased in its website", async () => {
    await call(`/websites/brand/people/${ADA}`, "DELETE");
    expect(await count(table)).toBe(0);
    expect((await call(`/websites/brand/people/${ADA}`)).status).toBe(404);
  });

  it("is not known to another website", async () => {
    await world.website("other");
    for (const path of [`/websites/other/people/${ADA}`, `/websites/other/people/${ADA}/export`])
      expect([path, (await call(path)).status]).toEqual([path, 404]);
  });
});

it("whoever an import has added by mistake, and who is erased once it is undone, is not subscribed by the next", async () => {
  const { importId } = await importAda();
  await world.operator("POST", `/imports/${importId}/undo`);
  expect((await call(`/people/${ADA}`)).body.websites).toMatchObject([{ websiteId: "brand", subscribed: false }]);
  expect((await call(`/people/${ADA}/export`)).status).toBe(200);
  expect((await call(`/people/${ADA}`, "DELETE")).body).toMatchObject({ websites: [{ websiteId: "brand" }] });
  expect(await importAda()).toMatchObject({ newSubscribed: 0, optedOutNumbers: [ADA] });
  expect(await world.statusOf(await world.send(client, { phone: ADA }))).toBe("NOT_FOUND");
});
