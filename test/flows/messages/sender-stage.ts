import { vi } from "vitest";
import { CarrierWorld, OURS } from "../../carriers/carrier-world.ts";
import { json } from "../../carriers/test-carrier.ts";
import { twilio } from "../../carriers/twilio.ts";
import type { TestClient } from "../../world.ts";

/** The sender of the website "shop". */
export const FULL = "+12125550009";
export const MANY = Array.from({ length: 30 }, (_, index) => `+121255501${String(index).padStart(2, "0")}`);
export const TWENTY = MANY.slice(0, 20);

export const refuse = (code: number, status = 429) => json({ code, message: "Why", status }, status);

/** Twilio, where the queue of one of two senders is full. */
export class SenderStage {
  readonly at: CarrierWorld;
  shop: TestClient = { clientId: "", clientSecret: "", callbackSecret: "" };

  private constructor(at: CarrierWorld) {
    this.at = at;
  }

  static async create(): Promise<SenderStage> {
    const it = new SenderStage(await CarrierWorld.create(twilio));
    await it.at.world.subscribers("brand", MANY);
    it.shop = await it.makeWebsite("shop", FULL);
    it.at.answer = ({ from }) => (from === FULL ? refuse(21611) : twilio.accepts());
    return it;
  }

  end(): void {
    this.at.expectPublished();
    vi.restoreAllMocks();
  }

  async makeWebsite(name: string, sender: string): Promise<TestClient> {
    await this.at.world.website(name, { carrier: "twilio", sender });
    await this.at.world.subscribers(name, MANY);
    return this.at.world.client(name);
  }

  async send(client: TestClient, phones = TWENTY): Promise<string[]> {
    const ids = await Promise.all(phones.map((phone) => this.at.world.send(client, { phone })));
    await this.at.world.runQueues();
    return ids;
  }

  from(sender: string): string[] {
    return this.at.submitted.filter(({ from }) => from === sender).map(({ messageId }) => messageId);
  }

  get ours(): string[] {
    return this.from(OURS);
  }

  async statuses(...websiteIds: string[]): Promise<unknown[]> {
    const rows = await this.at.world.rows(
      "SELECT DISTINCT website_id, status FROM messages WHERE website_id IN (SELECT value FROM json_each(?1))",
      JSON.stringify(websiteIds),
    );
    return websiteIds.flatMap((id) => rows.flatMap((row) => (row.website_id === id ? row.status : [])));
  }

  pauses(): Promise<unknown[]> {
    return this.at.world.rows("SELECT carrier, sender, about FROM carrier_pauses WHERE openings > 0");
  }

  async pass(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      this.at.world.advance(60);
      await this.at.world.sweep();
      await this.at.world.runQueues();
    }
  }
}
