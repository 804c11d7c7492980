/** Two accounts at one carrier, each with a website and a person of its own; the test stands for the carrier. */
import { vi } from "vitest";
import { makeCarriers } from "../../../src/carriers/index.ts";
import { readConfig } from "../../../src/config.ts";
import { hmacHex } from "../../../src/platform/secrets.ts";
import { type TestClient, World } from "../../world.ts";

export const PUBLIC_ORIGIN = "https://sms.example.com";
export const ADA = "+12125550100";
export const SENDERS: Record<string, string> = { "brand-a": "+12125550001", "brand-b": "+12125550002" };
export const NAMES = ["brand-a", "brand-b"];

type Fields = Record<string, string>;

export const tokenOf = (name: string) => `token-of-${name}`;
export const keyOf = (name: string) => `key-of-${name}`;

export const twilioAccount = (name: string, more: Fields = {}) => ({
  ...{ carrier: "twilio", accountSid: `AC${name.at(-1)?.repeat(32)}`, authToken: tokenOf(name) },
  ...more,
});
export const kannelAccount = (name: string, more: Fields = {}) => ({
  ...{ carrier: "kannel", sendsmsUrl: `https://${name}.example.com/cgi-bin/sendsms`, username: name },
  ...{ password: `password-of-${name}`, webhookKey: keyOf(name) },
  ...more,
});

export interface Sent {
  url: string;
  headers: Headers;
  body: string;
}

export class AccountStage {
  world: World;
  readonly clients: Record<string, TestClient> = {};
  readonly sent: Sent[] = [];
  answer = (): Response => Response.json({ sid: "SM1" }, { status: 201 });

  private constructor(world: World) {
    this.world = world;
  }

  static async create(accountOf: (name: string) => object = twilioAccount): Promise<AccountStage> {
    const it = new AccountStage(await World.create());
    it.configure({});
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const request = new Request(input as string, init as RequestInit);
      it.sent.push({
        url: request.url,
        headers: request.headers,
        body: new TextDecoder().decode(await request.arrayBuffer()),
      });
      return it.answer();
    });
    for (const name of NAMES) await it.addBrand(name, accountOf(name));
    return it;
  }

  configure(settings: Fields): void {
    const config = { ...this.world.deps.config, carriers: readConfig({ PUBLIC_ORIGIN, ...settings }).carriers };
    this.world.deps = { ...this.world.deps, config, carriers: makeCarriers(config) };
  }

  async addBrand(name: string, account: object): Promise<void> {
    await this.put(name, account);
    await this.world.website(name, { carrier: name, sender: SENDERS[name] });
    await this.world.subscribers(name, [ADA]);
    this.clients[name] = await this.world.client(name);
  }

  async put(name: string, account: object) {
    const answer = await this.world.operator("PUT", `/accounts/${name}`, account);
    return { status: answer.status, body: await answer.json<Record<string, unknown>>() };
  }

  async send(name: string): Promise<string> {
    const id = await this.world.send(this.clients[name] as TestClient, { phone: ADA });
    await this.world.runQueues();
    return id;
  }

  status = (messageId: string) => this.world.statusOf(messageId);

  async isSubscribed(name: string): Promise<boolean> {
    const answer = await this.world.operator("GET", `/websites/${name}/people/${ADA}`);
    return (await answer.json<{ subscribed: boolean }>()).subscribed;
  }

  /** A call of Twilio, signed with a token. */
  async twilio(path: string, fields: Fields, token: string, headers: Fields = {}, hash = "SHA-1"): Promise<number> {
    const signed =
      PUBLIC_ORIGIN +
      path +
      Object.keys(fields)
        .sort()
        .map((name) => name + fields[name])
        .join("");
    const bytes = new TextEncoder();
    const algorithm = { name: "HMAC", hash };
    const key = await crypto.subtle.importKey("raw", bytes.encode(token), algorithm, false, ["sign"]);
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes.encode(signed))).toBase64();
    return this.#called(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": signature, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  twilioReceipt = (at: string, messageId: string, token: string, fields: Fields = {}) =>
    this.twilio(
      `/carriers/twilio/${at}receipts?m=${messageId}`,
      { MessageSid: "SM1", MessageStatus: "delivered", ...fields },
      token,
    );

  twilioText = (at: string, to: string, token: string, text = "STOP") =>
    this.twilio(
      `/carriers/twilio/${at}inbound`,
      { MessageSid: crypto.randomUUID(), From: ADA, To: to, Body: text },
      token,
    );

  /** A call of Kannel. */
  async kannelReceipt(at: string, messageId: string, webhookKey: string): Promise<number> {
    const key = await hmacHex(webhookKey, `receipt ${messageId}`);
    return this.#called(`/carriers/kannel/${at}receipts?m=${messageId}&k=${key}&type=1&answer=`, { method: "GET" });
  }

  kannelText(at: string, to: string, webhookKey: string): Promise<number> {
    const query = new URLSearchParams({ key: webhookKey, id: crypto.randomUUID(), from: ADA, to, text: "STOP" });
    return this.#called(`/carriers/kannel/${at}inbound?${query}`, { method: "GET" });
  }

  async #called(path: string, init: RequestInit): Promise<number> {
    const { status } = await this.world.fetch(path, init);
    await this.world.runReceipts();
    return status;
  }
}
