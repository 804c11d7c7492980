// A website that no request has the right to: it must stay as it is to the last row, and serve as it has.

import { setTimeout as sleep } from "node:timers/promises";
import type { Query } from "../../harness/store.ts";
import type { Client } from "./client.ts";
import { type Issued, makeWebsite, sendText } from "./websites.ts";

const WEBSITE = "bystander";
export const TEXT = "This text is the bystander's alone";
const SENT = 20;
/** Nobody else has these numbers, because an operator's call erases a person from all websites. */
const PHONES = Array.from({ length: SENT }, (_, index) => `+1646555${String(100 + index).padStart(4, "0")}`);
/** The sandbox reports a message as delivered within a second; other deliveries may be under way before it. */
const LONGEST_MILLISECONDS = 60_000;

export class Bystander {
  /** The ids of its messages. Some have links, and keys that the fuzzed websites use too. */
  readonly messageIds = new Set<string>();
  readonly #client: Client;
  readonly #query: Query;
  readonly #sender: Issued;

  private constructor(client: Client, query: Query, sender: Issued) {
    this.#client = client;
    this.#query = query;
    this.#sender = sender;
  }

  static async make(client: Client, query: Query, operatorToken: string, endpoint: string): Promise<Bystander> {
    const { makeClient } = await makeWebsite(client, operatorToken, {
      websiteId: WEBSITE,
      phones: PHONES,
      carrier: "sandbox",
    });
    const bystander = new Bystander(client, query, await makeClient(`${endpoint}/well`));
    for (let count = 0; count < SENT; count++) await bystander.#send(PHONES[count] ?? "", `key-${count}`);
    for (const messageId of bystander.messageIds) await bystander.#untilDelivered(messageId);
    return bystander;
  }

  /** Every row that is kept of it, by table: its rows name it, or its message. */
  async rows(): Promise<Map<string, string>> {
    const kept = new Map<string, string>();
    for (const { name, sql } of await this.#query("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")) {
      const [column] = ["website_id", "message_id"].filter((column) => String(sql).includes(` ${column} TEXT`));
      if (column === undefined) continue;
      const own = column === "website_id" ? "= ?1" : "IN (SELECT message_id FROM messages WHERE website_id = ?1)";
      const rows = await this.#query(`SELECT * FROM ${name} WHERE ${column} ${own}`, WEBSITE);
      kept.set(String(name), JSON.stringify(rows, withoutUpkeep));
    }
    return kept;
  }

  /** @returns how long a text of its own takes to be delivered and called back, in seconds */
  async sendClean(): Promise<number> {
    const started = performance.now();
    await this.#untilDelivered(await this.#send(PHONES[0] ?? "", "after"));
    return (performance.now() - started) / 1000;
  }

  async #send(phone: string, key: string): Promise<string> {
    const fields = { phone, text: TEXT, clickUrl: "https://example.com/bystander" };
    const messageId = await sendText(this.#client, this.#sender, fields, key);
    this.messageIds.add(messageId);
    return messageId;
  }

  /** @throws Error when it is not delivered in time, and both events are not called back */
  async #untilDelivered(messageId: string): Promise<void> {
    const until = performance.now() + LONGEST_MILLISECONDS;
    const state = `SELECT status, (SELECT json_group_array(outcome) FROM events e WHERE e.message_id = m.message_id) AS posts
      FROM messages m WHERE message_id = ?1`;
    for (;;) {
      const [row] = await this.#query(state, messageId);
      if (row?.status === "DELIVERED" && row.posts === '["answered","answered"]') return;
      if (performance.now() > until) throw new Error(`a text of the bystander is ${JSON.stringify(row)}`);
      await sleep(50);
    }
  }
}

/** The sweep copies each client's credentials to KV once more, a while after they have changed, and counts what days have. */
function withoutUpkeep(name: string, value: unknown): unknown {
  return name === "copied_at" || name === "counted_until" ? undefined : value;
}
