// Named accounts at carriers. Each is the carrier of a website that no request changes, so that none can remove the account.

import { setTimeout as sleep } from "node:timers/promises";
import type { Query } from "../../harness/store.ts";
import { type Account, deliveryReceipt, NAMED_ACCOUNTS, settingsOf } from "./carriers.ts";
import type { Client } from "./client.ts";
import { callOperator, type Issued, makeWebsite, sendText } from "./websites.ts";

/** Nobody else has this number, because an operator's call erases a person from all websites. */
const PHONE = "+16465550199";
/** Other deliveries may be under way before it. */
const LONGEST_MILLISECONDS = 60_000;

export class Accounts {
  readonly #client: Client;
  readonly #query: Query;
  readonly #senders: readonly [Account, Issued][];

  private constructor(client: Client, query: Query, senders: [Account, Issued][]) {
    this.#client = client;
    this.#query = query;
    this.#senders = senders;
  }

  static async make(client: Client, query: Query, operatorToken: string, endpoint: string): Promise<Accounts> {
    const senders: [Account, Issued][] = [];
    for (const account of NAMED_ACCOUNTS) {
      const { name, sender } = account;
      await callOperator(client, operatorToken, "PUT", `/accounts/${name}`, settingsOf(account, endpoint));
      const settings = { websiteId: `at-${name}`, phones: [PHONE], carrier: name, sender };
      const { makeClient } = await makeWebsite(client, operatorToken, settings);
      senders.push([account, await makeClient(null)]);
    }
    return new Accounts(client, query, senders);
  }

  /** @returns the ids of texts that wait until an operator cancels them */
  async schedule(): Promise<string[]> {
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    const ids = this.#senders.map(([, sender]) => sendText(this.#client, sender, { phone: PHONE, sendAt }));
    return Promise.all(ids);
  }

  /** A text of each account is submitted to it, and is delivered once its receipt has come. @throws Error if not */
  async sendClean(): Promise<void> {
    for (const [account, sender] of this.#senders) {
      const messageId = await sendText(this.#client, sender, { phone: PHONE });
      await this.#until(messageId, account, "SENDING");
      const { status, body } = await this.#client.send(deliveryReceipt(account, messageId));
      if (status !== 200) throw new Error(`a receipt of ${account.name} is answered with ${status} ${body}`);
      await this.#until(messageId, account, "DELIVERED");
    }
  }

  async #until(messageId: string, { name }: Account, status: string): Promise<void> {
    const until = performance.now() + LONGEST_MILLISECONDS;
    for (;;) {
      const [row] = await this.#query("SELECT status, carrier FROM messages WHERE message_id = ?1", messageId);
      if (row?.status === status && row.carrier === name) return;
      if (performance.now() > until) throw new Error(`a text of ${name} is not ${status} but ${JSON.stringify(row)}`);
      await sleep(50);
    }
  }
}
