/** The frequency cap, whatever is claimed and becomes of it. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { CAP_PAUSE_SECONDS } from "../../../src/domain/messages/retry-policy.ts";
import { recordAndClaim } from "../../../src/store/messages/claims.ts";
import { World } from "../../world.ts";

/** Two forms of one number. */
const [SHORT, LONG] = ["+541155550100", "+5491155550100"];

let world: World;

it("is kept, and nothing ends by it before so many texts went as it allows", async () => {
  world = await World.create();
  const client = await world.brand([SHORT, LONG]);
  const step = fc.record({
    claimed: fc.subarray([0, 1, 2, 3, 4, 5]),
    accepts: fc.infiniteStream(fc.boolean()),
    ends: fc.boolean(),
  });
  const forms = fc.array(fc.constantFrom(SHORT, LONG), { minLength: 6, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      forms,
      fc.array(step, { maxLength: 8 }),
      async (count, to, steps) => {
        await world.rows("DELETE FROM messages");
        await world.website("brand", { frequencyCap: { count, hours: 24 } });
        const ids: string[] = [];
        for (const phone of to) {
          ids.push(await world.send(client, { phone }));
          world.advance(1);
        }
        const open: { claim: string; ids: string[] }[] = [];
        for (const [index, { claimed, accepts, ends }] of [...steps, ...steps].entries()) {
          world.advance(CAP_PAUSE_SECONDS);
          const name = `claim-${index}`;
          const some = claimed.map((place) => ids[place] as string);
          const next = { ids: some, claim: name, acceptedAfter: 0 };
          const taken = await recordAndClaim(world.deps.db, null, next, world.now);
          open.push({ claim: name, ids: taken.claimed.map(({ messageId }) => messageId) });
          if (ends) for (const one of open.splice(0)) await end(one, () => accepts.next().value);
          await check(count);
        }
      },
    ),
    { numRuns: 12 },
  );
});

/** Some of a claim are accepted, and the others are put off. */
async function end({ claim, ids }: { claim: string; ids: string[] }, isAccepted: () => boolean): Promise<void> {
  for (const id of ids) {
    const outcome = isAccepted()
      ? "status = 'SENDING', due_at = NULL"
      : `claimed_at = NULL, reason = 'later', due_at = ${world.now}`;
    await world.rows(`UPDATE messages SET ${outcome}, claim = NULL WHERE message_id = ?1 AND claim = ?2`, id, claim);
  }
}

async function check(count: number): Promise<void> {
  const rows = await world.rows("SELECT status, reason_code, claimed_at IS NOT NULL AS is_begun FROM messages");
  const went = rows.filter(({ status }) => status === "SENDING").length;
  const isCapped = rows.some(({ reason_code }) => reason_code === "FREQUENCY_CAP");
  expect(
    rows.filter(({ is_begun, status }) => is_begun === 1 && status !== "FAILED_TO_SEND").length,
  ).toBeLessThanOrEqual(count);
  if (isCapped) expect(went).toBe(count);
}
