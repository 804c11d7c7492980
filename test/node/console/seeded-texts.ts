// Texts as a service may have them, with the statements that store them, and what is to be counted of them: made apart from the product.
import { Random } from "../../random.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

export interface SeededText {
  messageId: string;
  website: string;
  purpose: string;
  /** As the documentation names its class. */
  outcome: string;
  status: string;
  reason: string | null;
  acceptedAt: number;
  segments: number;
}

/** Each class of an outcome, with the status and the reason that are in it. */
const OUTCOMES: Record<string, [status: string, reason: string | null][]> = {
  delivered: [["DELIVERED", null]],
  undelivered: [["FAILED_TO_DELIVERY", "UNDELIVERED"]],
  noReceipt: [
    ["SENDING", null],
    ["FAILED_TO_DELIVERY", "NO_RECEIPT"],
  ],
  notTaken: [
    ["FAILED_TO_SEND", "CARRIER_REFUSED"],
    ["FAILED_TO_SEND", "OPTED_OUT"],
  ],
  endedBefore: [
    ["FAILED_TO_SEND", "CANCELLED"],
    ["FAILED_TO_SEND", "FREQUENCY_CAP"],
  ],
  notSubscribed: [
    ["NOT_SUBSCRIBED", "OPTED_OUT"],
    ["NOT_FOUND", null],
  ],
  scheduled: [["PENDING_TO_SEND", null]],
  waiting: [["PENDING_TO_SEND", null]],
};

const WEIGHTS = {
  ...{ delivered: 60, undelivered: 6, noReceipt: 4, notTaken: 5 },
  ...{ endedBefore: 5, notSubscribed: 6, scheduled: 4, waiting: 4 },
};

export const WEBSITES = ["harbor", "northwind"];
export const PURPOSES = ["spring sale", "winter-sale"];

/** Those that wait are held, so that they stay as they are. Nothing was accepted near the edge of the last hour. */
export function makeTexts(seed: number, count: number, now: number): SeededText[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => {
    const isOfHour = random.chance(0.3);
    const acceptedAt = isOfHour
      ? now - random.between(2 * MINUTE, 50 * MINUTE)
      : now - random.between(2 * HOUR, random.chance(0.5) ? DAY : 10 * DAY);
    const outcome = random.weighted(WEIGHTS);
    // A text that was SENDING for a day is ended by the sweep.
    const choices = (OUTCOMES[outcome] ?? []).filter(([status]) => isOfHour || status !== "SENDING");
    const [status, reason] = random.pick(choices);
    const time = acceptedAt.toString(16).padStart(12, "0");
    return {
      messageId: `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${index.toString(16).padStart(12, "0")}`,
      ...{ website: random.pick(WEBSITES), purpose: random.pick(PURPOSES) },
      ...{ outcome, status, reason, acceptedAt, segments: random.between(1, 3) },
    };
  });
}

const HELD = JSON.stringify([
  { holdId: "h1", sendPurpose: null, clientId: null, since: 1, by: "ada", reason: "the link is wrong" },
]);

const AT_THE_CARRIER = ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"];

/** A text that a carrier took is SENDING first. Whether it is SENDING still, or has ended, is told a second later. */
export function statementsFor(texts: SeededText[], now: number): string {
  const rows = texts.map((text) => ({
    ...text,
    isTaken: AT_THE_CARRIER.includes(text.status) ? 1 : 0,
    sendAt: text.outcome === "scheduled" ? now + 20 * HOUR : null,
    dueAt: text.outcome === "waiting" ? now : null,
  }));
  const json = `'${JSON.stringify(rows)}'`;
  const field = (name: string) => `value ->> '${name}'`;
  return `
    INSERT INTO websites (website_id, name, carrier, created_at, updated_at, home, database, holds) VALUES
      ${WEBSITES.map((id, index) => `('${id}', '${id}', 'sandbox', 1, 1, ${index + 1}, 'DB', '${HELD}')`).join(", ")};
    INSERT INTO homes (home, website_id, database) VALUES
      ${WEBSITES.map((id, index) => `(${index + 1}, '${id}', 'DB')`).join(", ")};
    INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status, reason_code, accepted_at,
        updated_at, attempts, carrier, segments, send_at, due_at, expires_at)
      SELECT ${field("messageId")}, ${field("website")}, 'c', 12125550100 + key % 90, 'Hello', '', ${field("purpose")}, ${field("status")},
        ${field("reason")}, ${field("acceptedAt")}, ${field("acceptedAt")} + 1000, ${field("isTaken")},
        iif(${field("isTaken")}, 'sandbox', NULL), ${field("segments")}, ${field("sendAt")}, ${field("dueAt")},
        iif(${field("dueAt")} IS NULL, NULL, ${now + 20 * HOUR})
      FROM json_each(${json});
    INSERT INTO events (website_id, client_id, message_id, event, occurred_at)
      SELECT ${field("website")}, 'c', ${field("messageId")}, 'SENDING', ${field("acceptedAt")} + 500
      FROM json_each(${json}) WHERE ${field("isTaken")};
    INSERT INTO events (website_id, client_id, message_id, event, occurred_at, reason_code)
      SELECT ${field("website")}, 'c', ${field("messageId")}, ${field("status")}, ${field("acceptedAt")} + 1000, ${field("reason")}
      FROM json_each(${json}) WHERE ${field("status")} NOT IN ('SENDING', 'PENDING_TO_SEND');`;
}
