/** A website whose carrier does with each text what the test says, and tells of some later. */
import type { Carrier, Submission } from "../../../src/carriers/carrier.ts";
import { FORGED } from "../../../src/carriers/carrier.ts";
import type { Receipt } from "../../../src/domain/messages/receipt.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { type TestClient, World } from "../../world.ts";

export const ADA = "+12125550100";
export const BOB = "+12125550101";
export const OURS = "+12125550000";

export const ACCEPTED: Submission = { kind: "accepted", carrierMessageId: null };
export const NO_SUCH_NUMBER: Submission = { kind: "refused", reason: "no such number", numberFault: "21211" };

export class UnreachableStage {
  readonly world: World;
  client: TestClient = { clientId: "", clientSecret: "", callbackSecret: "" };
  /** What the carrier answers to the next texts. */
  answer: Submission = ACCEPTED;
  #texts = 0;

  private constructor(world: World) {
    this.world = world;
  }

  static async create(settings: Record<string, unknown> = {}): Promise<UnreachableStage> {
    const it = new UnreachableStage(await World.create());
    const carrier: Carrier = {
      validateSender: () => undefined,
      submit: async () => it.answer,
      readReceipts: async () => FORGED,
      readInbound: async () => FORGED,
    };
    it.world.deps = { ...it.world.deps, carriers: { ready: { test: carrier }, missing: {} } };
    await it.world.website("brand", { carrier: "test", sender: OURS, ...settings });
    await it.world.subscribers("brand", [ADA, BOB]);
    it.client = await it.world.client("brand", {
      callbackUrl: "https://brand.example.com/",
      events: ["number.unreachable"],
    });
    return it;
  }

  /** @returns the id of a text that is sent, and submitted if it may be */
  async send(phone = ADA, fields: Record<string, unknown> = {}): Promise<string> {
    this.world.advance(1);
    const id = await this.world.send(this.client, { phone, ...fields });
    await this.world.deliver("textgate-messages", [{ kind: "deliver", messageIds: [id] }]);
    this.world.jobs.length = 0;
    return id;
  }

  async refused(phone = ADA): Promise<string> {
    this.answer = NO_SUCH_NUMBER;
    const id = await this.send(phone);
    this.answer = ACCEPTED;
    return id;
  }

  async report(messageId: string, fields: Partial<Receipt>): Promise<void> {
    const receipt = {
      messageId,
      status: "DELIVERED",
      reason: null,
      carrierMessageId: null,
      optedOut: false,
      ...fields,
    };
    await this.world.deliver("textgate-receipts", [{ kind: "receipts", carrier: "test", receipts: [receipt] }]);
  }

  delivered = (messageId: string) => this.report(messageId, {});
  undelivered = (messageId: string, numberFault: string | null) =>
    this.report(messageId, { status: "FAILED_TO_DELIVERY", reason: "undelivered", numberFault });

  text(words = "Hello", from = ADA): Promise<void> {
    const inbound = { carrierMessageId: `in-${++this.#texts}`, from, to: [OURS], text: words };
    return this.world.invoke("queue", () =>
      receiveInbound(this.world.deps, "test", { ...inbound, keyword: null, answeredByCarrier: false }),
    );
  }

  subscribe = (phone = ADA) =>
    this.world.post("/text/subscribe", this.client, { phone_numbers: [phone], sendPurpose: "sign-up" });

  /** How a text ended, and the words for the operator. */
  async endOf(messageId: string): Promise<unknown> {
    const [row] = await this.world.rows(
      "SELECT status, reason_code AS code, attempts FROM messages WHERE message_id = ?1",
      messageId,
    );
    return row;
  }

  async isReached(phone = ADA): Promise<boolean> {
    const id = await this.send(phone);
    return (await this.world.statusOf(id)) === "SENDING";
  }

  async told(): Promise<Record<string, unknown>[]> {
    const rows = await this.world.rows("SELECT body FROM events WHERE event = 'number.unreachable' ORDER BY seq");
    return rows.map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>);
  }
}
