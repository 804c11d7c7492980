/** Whatever comes of a message, in whatever order and however often: it ends as the first final word says. */
import * as fc from "fast-check";
import { expect } from "vitest";
import { CarrierWorld } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";

type Report = "sent" | "delivered" | "failed";
const FINAL = { sent: undefined, delivered: "DELIVERED", failed: "FAILED_TO_DELIVERY" } as const;

const reports = fc.array(fc.constantFrom<Report>("sent", "delivered", "failed"), { maxLength: 6 });

/** What the carrier says before it answers the submission, how it answers, and what it says afterwards. */
const history = fc.record({
  early: reports,
  answer: fc.constantFrom("accepted", "unknown", "later"),
  late: reports,
  /** Whether the queues and the sweep run between the reports. */
  between: fc.boolean(),
});

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

/** Queued by the receipt and by the sweep, the callback of a status comes due twice at once. */
const CALLED_TWICE: History = { early: [], answer: "accepted", late: ["delivered"], between: false };

/** @param count how many histories are drawn; they share one world, each with a message of its own */
export async function expectFirstFinal(count: number): Promise<void> {
  const at = await CarrierWorld.create(kannel);
  await fc.assert(
    fc.asyncProperty(history, async ({ early, answer, late, between }) => {
      let submissions = 0;
      at.answer = async (submitted) => {
        if (submissions++ > 0) return kannel.accepts();
        for (const report of early) await at.receipt(submitted, kannel[report]);
        if (answer === "unknown") throw new Error("Network connection lost.");
        return answer === "later" ? (kannel.laters[0]?.[1]() as Response) : kannel.accepts();
      };
      const submitted = await at.submit();
      for (const report of late) {
        expect((await at.receipt(submitted, kannel[report])).status).toBe(200);
        if (between) await at.world.runQueues();
      }
      at.world.advance(3600);
      await at.world.sweep();
      await at.world.runQueues();

      const final = [...early, ...late].map((report) => FINAL[report]).find((status) => status !== undefined);
      const events = await at.events(submitted.messageId);
      expect(await at.world.statusOf(submitted.messageId)).toBe(final ?? "SENDING");
      expect(events.at(-1)).toBe(final ?? "SENDING");
      expect(events.length).toBe(new Set(events).size);
      expect(events.slice(0, -1)).toEqual(events.length > 1 ? ["SENDING"] : []);
      expect(at.callbacks[submitted.messageId]).toEqual(events);
      // A carrier that asks to come again has not taken the message, unless it has reported of it.
      expect(submissions).toBe(answer === "later" && early.length + late.length === 0 ? 2 : 1);
    }),
    { numRuns: count, examples: [[CALLED_TWICE]] },
  );
}
