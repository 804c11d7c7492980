/** The ledger of subscriptions says all: what stands in the table follows from it. */
import * as fc from "fast-check";
import { expect } from "vitest";
import { CarrierWorld } from "./carrier-world.ts";
import { twilio } from "./twilio.ts";

const phone = fc.nat({ max: 2 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("import" as const), phone, subscribed: fc.boolean() }),
  fc.record({ kind: fc.constant("text" as const), phone, text: fc.constantFrom("STOP", "START", "HELP", "hello") }),
  fc.record({ kind: fc.constant("opt-out at the carrier" as const), phone }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** @param count how many histories are drawn; they share one world, each with numbers of its own */
export async function expectRebuilt(count: number): Promise<void> {
  const at = await CarrierWorld.create(twilio);
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const base = 12125551000 + 10 * histories++;
      let before = await ledger(at);
      for (const one of steps) {
        await take(at, one, `+${base + one.phone}`);
        at.world.advance(60);
        const now = await ledger(at);
        expect(now.slice(0, before.length)).toEqual(before);
        expect(now.length - before.length).toBeLessThanOrEqual(1);
        before = now;
        expect(await table(at)).toEqual(rebuild(now));
      }
    }),
    { numRuns: count },
  );
}

async function take(at: CarrierWorld, one: Step, phone: string): Promise<void> {
  if (one.kind === "import") await at.world.subscribers("brand", [`${phone},,${one.subscribed}`]);
  else if (one.kind === "text") await at.inbound(one.text, { from: phone });
  else {
    at.answer = twilio.optOut?.refusal ?? twilio.accepts;
    await at.world.send(at.client, { phone });
  }
  await at.world.runQueues();
  at.answer = twilio.accepts;
}

interface Change {
  phone: number;
  was_subscribed: number | null;
  subscribed: number;
  source: string;
  change_id: number;
}

async function ledger(at: CarrierWorld): Promise<Change[]> {
  return (await at.world.rows("SELECT * FROM subscription_changes ORDER BY change_id")) as unknown as Change[];
}

const table = (at: CarrierWorld) =>
  at.world.rows("SELECT phone, subscribed, opted_out_by_person, change_id FROM subscriptions ORDER BY phone");

/** The state of a number is what its last change says; the person's own word is one by keyword or at the carrier. */
function rebuild(changes: Change[]) {
  const state = new Map<number, Record<string, number>>();
  for (const { phone, was_subscribed, subscribed, source, change_id } of changes) {
    expect(was_subscribed).toBe(state.get(phone)?.subscribed ?? null);
    const isOwnWord = source === "keyword" || source === "carrier";
    state.set(phone, { phone, subscribed, opted_out_by_person: subscribed === 0 && isOwnWord ? 1 : 0, change_id });
  }
  return [...state.values()].sort((a, b) => (a.phone ?? 0) - (b.phone ?? 0));
}
