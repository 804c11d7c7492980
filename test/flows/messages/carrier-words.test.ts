/** Whatever a carrier says of a message, nothing of the person and of the text is stored, queued or logged with its words. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Submission } from "../../../src/carriers/carrier.ts";
import { sandbox } from "../../../src/carriers/sandbox.ts";
import type { Receipt } from "../../../src/domain/messages/receipt.ts";
import { queueReceipts } from "../../../src/flows/messages/queue-jobs.ts";
import { keepDeadJobs } from "../../../src/flows/operations/dead-jobs.ts";
import { failingDatabase } from "../../failing-database.ts";
import { strictCarrier } from "../../strict/bindings.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550142";
const TEXT = "Your HIV test result is ready";
/** A quotation, the text in other letters, and the number in three spellings, one with letters. */
const WORDS = `Rule 7: "QUOTE your matter" (${TEXT.toUpperCase()}) to ${ADA}, 212/555\u20110142 and 212 tel 555 ext 0142`;
const REASON = `kannel: HTTP 400: ${WORDS}`;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

/** Everything that is stored, without the columns that hold the number and the text because they are theirs. */
async function stored(): Promise<string> {
  const tables = await world.rows(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  );
  const own = new Set(["phone", "text", "sender", "email"]);
  const rows = await Promise.all(tables.map(({ name }) => world.rows(`SELECT * FROM ${String(name)}`)));
  return JSON.stringify([rows.flat(), world.jobs, world.receipts, world.logs], (key, value) =>
    own.has(key) ? undefined : value,
  );
}

function expectNothingOf(all: string): void {
  for (const part of ["QUOTE", "matter", "HIV", "result is", "RESULT IS"]) expect(all).not.toContain(part);
  expect(all).not.toMatch(/2125550142|5550142|555.0142|(?<![0-9a-f])0142(?![0-9a-f])/);
}

const answers: [string, Submission][] = [
  ["refuses it", { kind: "refused", reason: REASON }],
  ["refuses it because the person has opted out", { kind: "refused", reason: REASON, optedOut: true }],
  ["takes it later", { kind: "later", reason: REASON }],
  ["fails", { kind: "later", reason: REASON, failing: "carrier" }],
  ["does not accept the credentials", { kind: "later", reason: REASON, failing: "carrier", unauthorized: true }],
  ["says nothing that is known", { kind: "unknown", reason: REASON, failing: "carrier" }],
];

describe.each([false, true])("while the store fails: %s, a carrier", (isAway) => {
  it.each(answers)("%s", async (_, submission) => {
    const { db } = world.deps;
    const carrier = strictCarrier({
      ...sandbox,
      submit: async () => {
        if (isAway) world.deps.db = failingDatabase(db, Number.POSITIVE_INFINITY);
        return submission;
      },
    });
    world.deps = { ...world.deps, carriers: { ready: { sandbox: carrier }, missing: {} } };
    const messageId = await world.send(client, { phone: ADA, text: TEXT });
    for (let run = 0; run < 6; run++)
      await world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [messageId] }]);
    world.deps.db = db;
    const all = await stored();
    expect(all).toContain("kannel: HTTP 400: Rule 7: ");
    expectNothingOf(all);
  });
});

describe("a receipt", () => {
  const failed = (messageId: string, optedOut = false): Receipt => ({
    ...{
      messageId,
      status: "FAILED_TO_DELIVERY",
      reason: `kannel: undelivered: ${WORDS}`,
      carrierMessageId: null,
      optedOut,
    },
  });
  const submitted = async () => {
    const messageId = await world.send(client, { phone: ADA, text: TEXT });
    await world.rows(
      "UPDATE messages SET status = 'SENDING', due_at = NULL, claimed_at = ?1, carrier = 'sandbox'",
      world.now,
    );
    world.jobs.length = 0;
    return messageId;
  };

  it.each([false, true])("is stored without them, opted out: %s", async (optedOut) => {
    const messageId = await submitted();
    await queueReceipts(world.deps, "sandbox", [failed(messageId, optedOut)]);
    const [job] = world.receipts.splice(0);
    expect(JSON.stringify(job)).not.toMatch(/QUOTE|matter|5550142|555.0142/);
    await world.deliver("textgate-receipts", [job?.body]);
    const all = await stored();
    expect(all).toContain("kannel: undelivered: Rule 7: ");
    expectNothingOf(all);
  });

  it("whose job dies is kept without its words, and with its code", async () => {
    const messageId = await submitted();
    const receipt = { ...failed(messageId), carrierCode: "069" };
    const body = { kind: "receipts", carrier: "sandbox", receipts: [receipt] };
    await keepDeadJobs(world.deps, "textgate-messages-dead", [{ id: "dead", body }], new Error(WORDS));
    const [row] = await world.rows("SELECT body FROM dead_jobs");
    expect(JSON.parse(String(row?.body))).toEqual({
      ...body,
      receipts: [{ ...receipt, reason: "kannel: undelivered" }],
    });
  });
});
