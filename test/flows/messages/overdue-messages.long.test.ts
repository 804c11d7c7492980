/** The sweep finds each message that is not final, whatever the order of things, and however many others are overdue. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { ACTIONS, MINUTE, OverdueStage, PEOPLE } from "./overdue-stage.ts";

it("a claim that was cut off is found behind a hundred thousand messages whose jobs are overdue", async () => {
  const at = await OverdueStage.begin();
  const { world } = at;
  const messageId = await world.send(at.client, { phone: PEOPLE[0] });
  await at.cutOff();
  await world.rows(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO messages (message_id, website_id, client_id, phone, text, callback_data, send_purpose, status, accepted_at,
       updated_at, due_at) SELECT 'm' || i, 'other', '', 12125550999, '', '', 'sale', 'PENDING_TO_SEND', ?1, ?1, ?1 - 1 FROM n`,
    world.now,
  );
  for (let times = 0; times < 2; times++) {
    world.advance(20 * MINUTE);
    await world.sweep();
    world.jobs.length = 0;
  }
  expect(await world.statusOf(messageId)).toBe("SENDING");
});

it("in any order of sends, submissions, receipts and sweeps each message without a final receipt is ended within a day", async () => {
  const at = await OverdueStage.begin();
  const step = fc.record({
    action: fc.constantFrom(...ACTIONS, "send", "sweep"),
    seconds: fc.constantFrom(0, 1, 30, 61, 200, 601),
    pick: fc.nat({ max: 7 }),
  });
  const steps = fc.array(step, { minLength: 4, maxLength: 16 });
  await fc.assert(
    fc.asyncProperty(steps, (given) => at.play(given)),
    { numRuns: 10 },
  );
});
