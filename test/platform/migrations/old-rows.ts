// Rows as they stand in a database under traffic: every state that a message, subscription, event or job can be in.
import { canonicalJson } from "../../../src/domain/canonical-json.ts";
import { MESSAGE_STATUSES } from "../../../src/domain/message.ts";
import { hmacHex, newCallbackSecret, randomHex, seal, sha256Hex } from "../../../src/platform/secrets.ts";
import type { TestClient } from "../../world.ts";
import { makeServiceRows } from "./old-service-rows.ts";
import {
  at,
  EVENT_STATES,
  HOUR,
  MESSAGE_STATES,
  MINUTE,
  NOW,
  type OldRow,
  type OldRows,
  PEOPLE,
  PERSON_STATES,
  SERVICE_KEY,
  uuid,
  WEBSITES,
} from "./old-states.ts";
import { keptCallback } from "./write-rows.ts";

const CARRIER_HAS = ["SENDING", "DELIVERED", "FAILED_TO_DELIVERY"];

const toId = ({ message_id, event }: OldRow) => `${message_id}_${event}`;
const isOpen = ({ callback_due, outcome }: OldRow) => callback_due === 1 && outcome === null;
const isIn = (batches: OldRow[], event: OldRow) =>
  batches.some(({ event_ids }) => String(event_ids).includes(toId(event)));
const toOpen = ({ message_id = null, event = null, queued_at, attempted_at }: OldRow): OldRow => ({
  ...{ message_id, event, queued_at: attempted_at === null ? (queued_at ?? null) : null },
});

const NOTHING_SEEN: OldRow = { only: 1, messages_seen: 0, messages_seen_before: 0, messages_again_at: null };

/** Of one generation of rows; the rows of two generations stand beside each other. */
const MOVED_HOME = 1000;

export class Generation {
  readonly rows: OldRows = {};
  readonly clients = new Map<string, TestClient>();
  readonly #number: number;

  private constructor(number: number) {
    this.#number = number;
  }

  static async make(number: number): Promise<Generation> {
    const made = new Generation(number);
    const { rows } = made;
    rows.websites = WEBSITES.map((website, index) => made.#website(website, index));
    rows.homes = WEBSITES.map((website, index) => ({ ...made.#home(website, index), database: "DB" }));
    rows.client_homes = [{ client_id: `a client of ${number}`, home: number }];
    rows.sender_homes = [{ carrier: "sandbox", sender: `${number}`, home: number }];
    // None is on its way while a migration is applied; of one that was, rows stay.
    rows.moves = [];
    rows.moving = [];
    rows.move_log = [{ seq: number + 1, home: MOVED_HOME, name: "messages", key: `["${uuid(number, 0)}"]` }];
    rows.moved_feeds = [{ website_id: made.websiteId("brand"), until: 1, shift: 0 }];
    rows.database_sizes = [{ day: Math.floor(NOW / (24 * HOUR)) - number, bytes: 1_000_000 }];
    rows.clients = await Promise.all(WEBSITES.map((website) => made.#client(website)));
    const people = WEBSITES.flatMap((website) => Array.from({ length: PEOPLE }, (_, index) => ({ website, index })));
    rows.subscription_changes = people.flatMap(({ website, index }) => made.#changes(website, index));
    rows.subscriptions = people.map(({ website, index }) => made.#subscription(website, index));
    rows.messages = people.flatMap(({ website, index }) =>
      [0, 1, 2].map((turn) => made.#message(website, index, turn)),
    );
    rows.events = rows.messages.flatMap((message, index) => made.#events(message, index));
    rows.event_batches = made.#batches(rows.messages, rows.events);
    const seen = number === 0 ? rows.event_batches.slice(0, rows.event_batches.length / 2) : [];
    rows.event_batches_seen = seen.slice(-1).map(({ seq }) => ({ ...NOTHING_SEEN, seq: seq ?? null }));
    rows.open_callbacks = rows.events.filter((event) => isOpen(event) && isIn(seen, event)).map(toOpen);
    rows.send_keys = await Promise.all(rows.messages.map((message, index) => made.#sendKey(message, index)));
    rows.idempotency_keys = rows.send_keys.map((key, index) => made.#idempotencyKey(key, index, rows.messages ?? []));
    rows.bulk_parts = [0, 1, -1].map((part) => made.#bulkPart(part));
    rows.duplicate_keys = rows.messages.flatMap((message, index) => made.#duplicateKey(message, index));
    rows.suppressed_messages = [0, 1].map((index) => made.#suppressed(index));
    rows.cancelled_messages = [0, 1].map((index) => ({
      message_id: uuid(8000 + number, index),
      cancelled_at: NOW - HOUR,
    }));
    rows.inbound_texts = people.map(({ website, index }) => made.#inbound(website, index));
    rows.notices = WEBSITES.map((website) => made.#notice(website));
    rows.links = rows.messages.flatMap((message, index) => made.#link(message, index));
    rows.clicks = rows.messages.flatMap((message, index) => made.#clicks(message, index));
    rows.report_rows = MESSAGE_STATUSES.map((status, index) => made.#reportRow(status, index));
    rows.daily_counts = rows.report_rows;
    rows.erased_people = await Promise.all(WEBSITES.map((website) => made.#erased(website)));
    rows.former_senders = WEBSITES.map((website) => made.#formerSender(website));
    const clientIds = [...made.clients.values()].map(({ clientId }) => clientId);
    Object.assign(rows, await makeServiceRows(number, made.websiteId("brand"), clientIds));
    return made;
  }

  websiteId(website: string): string {
    return `${website}-${this.#number}`;
  }

  /** As digits. */
  phone(website: string, index: number): number {
    return 12125550100 + this.#number * 100_000 + WEBSITES.indexOf(website as "brand") * 10_000 + index;
  }

  /** Of a number that was erased. */
  erasedPhone(website: string): string {
    return `+${this.phone(website, 9000)}`;
  }

  #website(website: string, index: number): OldRow {
    return {
      name: `Website ${website}`,
      carrier: "sandbox",
      sender: index === 0 ? null : "+12125550000",
      help_text: index === 0 ? null : "Texts about your orders.",
      duplicate_window_hours: index === 0 ? null : 24,
      opt_out_words: index === 0 ? null : JSON.stringify(["BAJA"]),
      created_at: NOW - HOUR,
      updated_at: NOW - HOUR,
      counted_until: Date.UTC(2026, 9, 2),
      holds: index === 0 ? null : JSON.stringify([{ sendPurpose: "held", clientId: null, since: NOW - HOUR }]),
      ...this.#home(website, index),
    };
  }

  #home(website: string, index: number) {
    return { home: this.#number * WEBSITES.length + index + 1, website_id: this.websiteId(website), database: null };
  }

  async #client(website: string): Promise<OldRow> {
    const client = { clientId: randomHex(16), clientSecret: randomHex(32), callbackSecret: newCallbackSecret() };
    this.clients.set(website, client);
    return {
      client_id: client.clientId,
      website_id: this.websiteId(website),
      callback_url: `https://${website}.example.com/callbacks`,
      operations: '["send","status","subscription","subscribe"]',
      events: website === "shop" ? '["message.status","message.clicked","message.received"]' : null,
      suspended: 0,
      secret_hash: await sha256Hex(client.clientSecret),
      callback_secret: await seal(client.callbackSecret, SERVICE_KEY),
      old_secret_hash: await sha256Hex("an old one"),
      old_callback_secret: null,
      old_until: NOW - MINUTE,
      created_at: NOW - HOUR,
      changed_at: NOW - HOUR,
      copied_at: null,
      rotated_at: website === "brand" ? null : NOW - 20 * MINUTE,
      name: website === "brand" ? null : "The platform",
      used_at: NOW - HOUR,
      refused_at: NOW - HOUR,
      refusal: "secret-wrong",
    };
  }

  #changeId(website: string, index: number): number {
    return 1 + 2 * (this.#number * 1000 + WEBSITES.indexOf(website as "brand") * PEOPLE + index);
  }

  /** Everybody was subscribed by an import; who has opted out since has a second row. */
  #changes(website: string, index: number): OldRow[] {
    const person = { website_id: this.websiteId(website), phone: this.phone(website, index), changed_at: NOW - HOUR };
    const change_id = this.#changeId(website, index);
    const { subscribed, opted_out_by_person } = at(PERSON_STATES, index);
    const source = opted_out_by_person === 1 ? "keyword" : index % 2 === 0 ? "api" : "carrier";
    return [
      {
        ...person,
        change_id,
        was_subscribed: null,
        subscribed: 1,
        source: "import",
        proof: "a request",
        was_email: null,
      },
      ...(subscribed === 1
        ? []
        : [
            {
              ...person,
              change_id: change_id + 1,
              was_subscribed: 1,
              subscribed: 0,
              source,
              proof: "STOP",
              was_email: null,
            },
          ]),
    ];
  }

  #subscription(website: string, index: number): OldRow {
    const state = at(PERSON_STATES, index);
    return {
      ...state,
      website_id: this.websiteId(website),
      phone: this.phone(website, index),
      email: state.email === null ? null : `${website}-${index}@example.com`,
      change_id: this.#changeId(website, index) + (state.subscribed === 1 ? 0 : 1),
    };
  }

  #message(website: string, index: number, turn: number): OldRow {
    const state = at(MESSAGE_STATES, index + turn * 7);
    const isMatched = state.status !== "FAILED_TO_MATCH";
    const isTaken = CARRIER_HAS.includes(String(state.status));
    const hasLink = index % 3 === 0;
    return {
      message_id: uuid(this.#number, WEBSITES.indexOf(website as "brand") * 1000 + index * 3 + turn),
      website_id: this.websiteId(website),
      client_id: this.clients.get(website)?.clientId ?? "",
      phone: isMatched ? this.phone(website, index) : null,
      email: isMatched ? null : "nobody@example.com",
      text: `Brand: “hello” ${index}, it’s ${turn} 🎉`,
      media_url: index % 5 === 0 ? "https://example.com/1.jpg" : null,
      click_url: hasLink ? `https://example.com/?q=${index}` : null,
      callback_data: index % 7 === 6 ? "" : `{"index":${index}}`,
      send_purpose: `purpose ${turn}`,
      reason: null,
      reason_code: null,
      sending_at: null,
      final_at: null,
      ...keptCallback("sending", null),
      ...keptCallback("final", null),
      accepted_at: NOW - HOUR,
      updated_at: NOW - HOUR,
      queued_at: NOW - HOUR,
      claimed_at: isTaken ? NOW - HOUR : null,
      claim: isTaken ? "a run" : null,
      attempts: isTaken ? 1 : 0,
      ignored_fields: isTaken ? null : '["sendAt"]',
      submissions: isTaken ? null : '[{"at":1,"attempt":1,"outcome":"later","reason":"busy"}]',
      retry_at: null,
      carrier: isTaken ? "sandbox" : null,
      carrier_message_id: isTaken ? `sandbox-${index}-${turn}` : null,
      encoding: "UCS-2",
      segments: 1,
      is_reply: 0,
      opted_out: 0,
      watched: null,
      ...state,
    };
  }

  /** A message that waits has none, one that its carrier has had has two, and one with a link a click of a person too. */
  #events({ message_id, status, callback_data, click_url }: OldRow, index: number): OldRow[] {
    if (status === "PENDING_TO_SEND") return [];
    const names = [
      ...(status === "DELIVERED" || status === "FAILED_TO_DELIVERY" ? ["SENDING"] : []),
      String(status),
      ...(click_url === null ? [] : [`CLICK_${uuid(9, index)}`]),
    ];
    return names.map((event, place) => ({
      message_id: message_id ?? null,
      event,
      occurred_at: NOW - HOUR + place,
      queued_at: NOW - HOUR,
      attempted_at: null,
      claim: null,
      outcome: null,
      http_status: null,
      response: null,
      duration_ms: null,
      reason_code: null,
      ...(callback_data === "" ? { callback_due: 0 } : at(EVENT_STATES, index + place)),
    }));
  }

  /** One for each message. */
  #batches(messages: OldRow[], events: OldRow[]): OldRow[] {
    const ofMessage = Map.groupBy(events, ({ message_id }) => message_id);
    return messages.flatMap(({ message_id, client_id }, index) => {
      const own = ofMessage.get(message_id) ?? [];
      const batch = { client_id: client_id ?? null, stored_at: NOW - HOUR, event_ids: JSON.stringify(own.map(toId)) };
      return own.length === 0 ? [] : [{ seq: 1 + this.#number * 100_000 + index, ...batch }];
    });
  }

  async #sendKey({ message_id, website_id }: OldRow, index: number): Promise<OldRow> {
    return {
      website_id: website_id ?? null,
      send_key: `key:${index}`,
      body_hash: await sha256Hex(canonicalJson(JSON.parse(bodyOf(index)), bodyOf(index))),
      message_id: message_id ?? null,
      expires_at: index % 2 === 0 ? NOW + HOUR : NOW - 1,
    };
  }

  /** As the row of send_keys, in which the version before finds it. */
  #idempotencyKey(key: OldRow, index: number, messages: OldRow[]): OldRow {
    return {
      client_id: at(messages, index).client_id ?? null,
      operation: "send",
      idempotency_key: String(key.send_key).slice("key:".length),
      body_hash: key.body_hash ?? null,
      message_id: key.message_id ?? null,
      expires_at: key.expires_at ?? null,
    };
  }

  #bulkPart(part: number): OldRow {
    const first_id = uuid(7000 + this.#number, 0);
    return { first_id, part, body_hash: "a hash", attempt: "an attempt", expires_at: NOW + HOUR };
  }

  #duplicateKey({ website_id, phone, message_id }: OldRow, index: number): OldRow[] {
    if (phone === null || index % 3 > 0) return [];
    const key = { website_id: website_id ?? null, phone: phone ?? null, content_hash: `hash ${index}` };
    return [{ ...key, message_id: message_id ?? null, expires_at: NOW + HOUR, was_repeated: index % 2 }];
  }

  #suppressed(index: number): OldRow {
    return {
      message_id: uuid(9000 + this.#number, index),
      first_id: uuid(this.#number, index),
      expires_at: NOW + HOUR,
    };
  }

  #inbound(website: string, index: number): OldRow {
    const text = at(["STOP", "START", "HELP", "what is this?"], index);
    return {
      website_id: index % 20 === 19 ? "" : this.websiteId(website),
      carrier: "twilio",
      carrier_message_id: `in-${this.#number}-${website}-${index}`,
      sender: `+${this.phone(website, index)}`,
      recipient: "+12125550000",
      text,
      keyword: at(["stop", "start", "help", null], index),
      received_at: NOW - HOUR + index,
      applied: index % 4,
      maybe_opt_out: index % 2,
    };
  }

  #notice(website: string): OldRow {
    return {
      notice_id: `notice-${this.#number}-${website}`,
      client_id: this.clients.get(website)?.clientId ?? "",
      website_id: this.websiteId(website),
      phone: this.phone(website, 0),
      type: "message.received",
      body: '{"text":"hello"}',
      occurred_at: NOW - HOUR,
    };
  }

  #link({ message_id, click_url }: OldRow, index: number): OldRow[] {
    const code = `Link${this.#number}${String(index).padStart(5, "0")}`;
    return click_url === null ? [] : [{ code, message_id: message_id ?? null, url: click_url ?? null }];
  }

  #clicks({ message_id, click_url }: OldRow, index: number): OldRow[] {
    if (click_url === null) return [];
    const click = { message_id: message_id ?? null, clicked_at: NOW - HOUR };
    const alone = { ...click, count: 1, last_click_id: null };
    return [1, 0].map((isPerson) => ({ ...alone, click_id: uuid(9 - isPerson, index), is_person: isPerson }));
  }

  #reportRow(status: string, index: number): OldRow {
    const counts = {
      messages: 10 + index,
      segments: 20,
      clicked: 3,
      clicks: 4,
      robot_clicks: 5,
      opted_out: 1,
      reasons: '{"NO_RECEIPT":2}',
    };
    return { website_id: this.websiteId("brand"), day: "2026-10-01", send_purpose: "sale", status, ...counts };
  }

  async #erased(website: string): Promise<OldRow> {
    const website_id = this.websiteId(website);
    return { website_id, mark: await hmacHex(SERVICE_KEY, `erased ${website_id} ${this.erasedPhone(website)}`) };
  }

  #formerSender(website: string): OldRow {
    return { carrier: "twilio", sender: "+12125550007", website_id: this.websiteId(website) };
  }
}

/** What the request with the key `index` said. */
export const bodyOf = (index: number) =>
  JSON.stringify({ phone: "+12125550100", text: `text ${index}`, callbackData: "{}", sendPurpose: "old" });
