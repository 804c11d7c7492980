// The two platforms of the demo, what they send, and who operates the service.
import type { Credentials } from "../../../src/domain/clients/client.ts";
import { IgnoredFields } from "../../../src/domain/messages/ignored-fields.ts";
import { acceptBulk } from "../../../src/flows/messages/accept-bulk.ts";
import { countClick } from "../../../src/flows/messages/count-click.ts";
import { type Brand, type Campaign, FIRST_ARRIVING, HARBOR, NORTHWIND, peopleOf, subscribersOf } from "./brands.ts";
import type { Caller, Past } from "./past.ts";

/** Where the links lead from: no link of the demo is followed. */
const LINK_ORIGIN = "https://txt.example";

/** A brand, and the client that sends for it. */
export interface Sending extends Brand {
  clientId: string;
  caller: Caller;
  /** The credentials of each send: checking the caller each time would take seconds. */
  credentials: Credentials;
}

export class Platforms {
  readonly past: Past;
  readonly brands: Sending[] = [];
  #operator: Caller = {};
  #seed = 7;

  constructor(past: Past) {
    this.past = past;
  }

  /** Makes an operator, the brands, and most of their people. */
  async begin(first: Caller): Promise<void> {
    const { token } = await this.past.call<{ token: string }>(first, "POST", "/operator/tokens", {
      name: "ada",
      role: "operator",
    });
    this.#operator = { authorization: `Bearer ${token}` };
    for (const brand of [HARBOR, NORTHWIND]) {
      const { websiteId, name, platform, sender, helpText } = brand;
      const path = `/operator/websites/${websiteId}`;
      await this.operate("PUT", path, { name, carrier: "sandbox", sender, helpText, timeZone: "America/Los_Angeles" });
      const { arriving, failing } = peopleOf(brand);
      await this.operate(
        "POST",
        `${path}/subscribers?everyone=subscribed`,
        subscribersOf([...failing, ...arriving.slice(0, FIRST_ARRIVING)]),
      );
      const client = await this.operate<Issued>("POST", `${path}/clients`, { name: platform });
      const caller = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
      const credentials = await this.past.deps.credentials.read(client.clientId);
      if (credentials) this.brands.push({ ...brand, clientId: client.clientId, caller, credentials });
    }
  }

  /** To people of the brand, by chance. @returns the ids of the messages */
  send(brand: Sending, campaign: Campaign, count: number): Promise<string[]> {
    return this.sendTo(brand, campaign, this.#choose(brand, count));
  }

  /** @returns the ids of the messages */
  async sendTo(brand: Sending, { sendPurpose, text, clickUrl }: Campaign, phones: string[]): Promise<string[]> {
    const messages = phones.map((phone, index) => {
      // Without it, a message has no callbacks, each of which takes a request.
      const callbackData = index === 0 ? JSON.stringify({ demo: true }) : "";
      return { phone, text, callbackData, sendPurpose, ...(clickUrl ? { clickUrl } : {}) };
    });
    const sender = { client: brand.credentials, linkOrigin: LINK_ORIGIN };
    const accepting = acceptBulk(this.past.deps, sender, toBytes({ messages }), undefined, new IgnoredFields());
    const answer = await this.past.work(accepting);
    return answer.successSent.map(({ messageId }) => messageId);
  }

  /** Distinct people: one in sixteen is somebody whose text does not arrive. */
  #choose(brand: Brand, count: number): string[] {
    const { arriving, failing } = peopleOf(brand);
    const chosen = new Set<string>();
    while (chosen.size < count) {
      const among = this.random() < 1 / 16 ? failing : arriving;
      chosen.add(among[Math.floor(this.random() * among.length)] ?? "");
    }
    return [...chosen];
  }

  /** One in three follows the link, and a robot some. */
  async click(sent: string[]): Promise<void> {
    const { deps } = this.past;
    const shares = sent.map((messageId) => ({ messageId, share: this.random() })).filter(({ share }) => share < 0.42);
    await Promise.all(
      shares.map(({ messageId, share }) =>
        countClick(deps, { messageId, clickId: deps.newId(), clickedAt: deps.now(), isPerson: share < 0.33 }),
      ),
    );
  }

  operate<T>(method: string, path: string, body: object | string): Promise<T> {
    return this.past.call<T>(this.#operator, method, path, body);
  }

  /** From 0 to 1, and the same at each start. The generator of Park and Miller. */
  random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}

interface Issued {
  clientId: string;
  clientSecret: string;
}

async function* toBytes(body: object): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(JSON.stringify(body));
}
