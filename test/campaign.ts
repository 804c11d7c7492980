import { ToldCarrier } from "./told-carrier.ts";
import { type TestClient, World } from "./world.ts";

export const PHONES = Array.from({ length: 30 }, (_, index) => `+121255501${String(index).padStart(2, "0")}`);
export const TYPO = "spring-sale_01";
export const CODES = "log-in codes";

/** A website with 30 people, texts to all of them that wait, and what an operator does about these. */
export class CampaignWorld {
  readonly world: World;
  readonly client: TestClient;
  readonly carrier: ToldCarrier;

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
    this.carrier = new ToldCarrier(world);
  }

  static async create(): Promise<CampaignWorld> {
    const world = await World.create();
    const client = await world.brand(PHONES);
    return new CampaignWorld(world, client);
  }

  get submitted(): string[] {
    return this.carrier.submitted;
  }

  campaign(sendPurpose = TYPO, by = this.client): Promise<string[]> {
    return Promise.all(PHONES.map((phone) => this.world.send(by, { phone, sendPurpose })));
  }

  async call<Answer = unknown>(what: string, body: object = {}, websiteId = "brand"): Promise<Answer> {
    return (await this.world.operator("POST", `/websites/${websiteId}/${what}`, body)).json();
  }

  hold(body: object = {}, websiteId = "brand"): Promise<{ holdId: string; held: number }> {
    return this.call("hold", body, websiteId);
  }

  async read<Answer>(path: string): Promise<Answer> {
    return (await this.world.operator("GET", path)).json();
  }

  message(id: string): Promise<object> {
    return this.read(`/messages/${id}`);
  }

  async countOf(status: string): Promise<number> {
    const [row] = await this.world.rows("SELECT count(*) AS count FROM messages WHERE status = ?1", status);
    return Number(row?.count);
  }
}
