// Sends that are stored together.
import fc from "fast-check";
import { expect } from "vitest";
import type { Send, StoredSend } from "../../../src/domain/messages/send.ts";
import { storeGroup } from "../../../src/flows/messages/store-sends.ts";
import { SEND, type TestClient, World } from "../../world.ts";

export const ADA = 12125550100;
export const BOB = 12125550101;
export const STRANGER = 12125550199;

export const idOf = (of: Send) => of.message.messageId;

/** Outcomes with the place of a message in the list in place of its id. */
const shape = (list: Send[], outcomes: StoredSend[]) =>
  outcomes.map((outcome) =>
    outcome.kind === "repeated"
      ? list.findIndex((one) => idOf(one) === outcome.messageId)
      : outcome.kind === "stored"
        ? `stored ${outcome.isPending} ${outcome.due.length}`
        : outcome.kind,
  );

interface Given {
  clientId: string;
  phone: number | null;
  email: string;
  dedupeHash: string | null;
  key: string | null;
  bodyHash: string;
}

export class SendsStage {
  readonly world: World;
  readonly client: TestClient;
  #sends = 0;

  private constructor(world: World, client: TestClient) {
    this.world = world;
    this.client = client;
  }

  static async begin(): Promise<SendsStage> {
    const world = await World.create();
    return new SendsStage(world, await world.brand([`+${ADA},ada@example.com`, `+${BOB}`]));
  }

  /** A send to Ada, unless the fields say otherwise. */
  send(fields: Partial<Send["message"]> = {}, key: [value: string, bodyHash: string] | null = null): Send {
    const number = String(++this.#sends).padStart(12, "0");
    return {
      message: {
        ...SEND,
        messageId: `00000000-0000-4000-8000-${number}`,
        websiteId: "brand",
        clientId: this.client.clientId,
        phone: ADA,
        ...{ email: null, mediaUrl: null, clickUrl: null, linkCode: null, dedupeHash: null },
        ...{ encoding: "GSM-7", segments: 1, acceptedAt: this.world.now },
        ...fields,
      },
      key: key && { value: key[0], bodyHash: key[1], expiresAt: this.world.now + 3_600_000 },
      duplicatesUntil: fields.dedupeHash ? this.world.now + 3_600_000 : null,
      database: "DB",
    };
  }

  /** Sends of one group have the outcomes that they have one after another. @param runs groups that are made by chance */
  async expectSameInGroup(runs: number): Promise<void> {
    const given = fc.record({
      clientId: fc.constantFrom(this.client.clientId, (await this.world.client("brand")).clientId),
      phone: fc.constantFrom(ADA, BOB, STRANGER, null),
      email: fc.constantFrom("ada@example.com", "nobody@example.com"),
      dedupeHash: fc.constantFrom(null, "x", "y"),
      key: fc.constantFrom(null, "k1", "k2"),
      bodyHash: fc.constantFrom("a", "b"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 8 }), async (all) => {
        await this.#clear();
        const together = this.#make(all);
        const inGroup = shape(together, await storeGroup(this.world.deps, together));
        await this.#clear();
        const alone = this.#make(all);
        const oneByOne: StoredSend[] = [];
        for (const one of alone) oneByOne.push(...(await storeGroup(this.world.deps, [one])));
        expect(inGroup).toEqual(shape(alone, oneByOne));
      }),
      { numRuns: runs },
    );
  }

  #make(all: Given[]): Send[] {
    return all.map(({ clientId, phone, email, dedupeHash, key, bodyHash }) =>
      this.send(
        {
          clientId,
          ...{ phone, email: phone === null ? email : null },
          // Alone, a duplicate of a message that was never sent is stored; in its group, it is not known yet.
          dedupeHash: phone === STRANGER ? null : dedupeHash,
        },
        key === null ? null : [key, bodyHash],
      ),
    );
  }

  async #clear(): Promise<void> {
    for (const table of ["messages", "events", "idempotency_keys", "duplicate_keys"])
      await this.world.rows(`DELETE FROM ${table}`);
  }
}
