/** The frequency cap, whatever is claimed and becomes of it. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { CAP_PAUSE_SECONDS } from "../../../src/domain/messages/retry-policy.ts";
import type { ClaimedMessage } from "../../../src/store/messages/claimed-message.ts";
import { World } from "../../world.ts";
import { claimAs, going, recordRefused } from "./cap-stage.ts";

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
        const open: Open[] = [];
        for (const [index, { claimed, accepts, ends }] of [...steps, ...steps].entries()) {
          world.advance(CAP_PAUSE_SECONDS);
          const name = `claim-${index}`;
          const some = claimed.map((place) => ids[place] as string);
          open.push({ claim: name, claimed: await claimAs(world, name, some) });
          await check(count, open);
          if (ends) for (const one of open.splice(0)) await end(one, () => accepts.next().value);
          await check(count, open);
        }
      },
    ),
    { numRuns: 12 },
  );
});

/** A claim whose outcomes are not recorded yet. */
interface Open {
  claim: string;
  claimed: ClaimedMessage[];
}

/** What of a claim may not be submitted is recorded. Some of the others are accepted, and the rest is put off. */
async function end({ claim, claimed }: Open, isAccepted: () => boolean): Promise<void> {
  await recordRefused(world, claim, claimed);
  for (const id of going(claimed)) {
    const outcome = isAccepted()
      ? "status = 'SENDING', due_at = NULL"
      : `claimed_at = NULL, reason = 'later', due_at = ${world.now}`;
    await world.rows(`UPDATE messages SET ${outcome}, claim = NULL WHERE message_id = ?1 AND claim = ?2`, id, claim);
  }
}

async function check(count: number, open: Open[]): Promise<void> {
  const rows = await world.rows("SELECT status, reason_code FROM messages");
  const went = rows.filter(({ status }) => status === "SENDING").length;
  const isCapped = rows.some(({ reason_code }) => reason_code === "FREQUENCY_CAP");
  expect(went + open.flatMap(({ claimed }) => going(claimed)).length).toBeLessThanOrEqual(count);
  if (isCapped) expect(went).toBe(count);
}
