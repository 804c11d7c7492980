/** No marketing text reaches the carrier while its hours are closed, or early, though hours, address and carrier change meanwhile. */
import { expect, it } from "vitest";
import { ADA, HOUR, LEA, type Step, Trial } from "./hours-trial.ts";

/** 3 a.m. in New York, and midnight in California. */
const NIGHT = Date.UTC(2026, 10, 22, 8);

const text = (person: string, fields: Partial<Extract<Step, { kind: "send" }>["send"]> = {}): Step => ({
  kind: "send",
  send: { ...{ person, isMarketing: true, sendsIn: null, expiresIn: null, timeZone: null }, ...fields },
});

it("marketing that is sent at night waits for the hours, and each text goes or ends", async () => {
  const trial = await Trial.begin(NIGHT);
  const steps: Step[] = [
    { kind: "hours", hours: { profile: "us-strict", whenClosed: "delay" } },
    text(ADA),
    text(LEA, { isMarketing: false }),
    text("ada@example.com", { sendsIn: HOUR, expiresIn: 20 * HOUR }),
    text("+18085552345", { sendsIn: 2 * HOUR, expiresIn: HOUR }),
    { kind: "run", fault: "after" },
    { kind: "address", phone: LEA },
    { kind: "time", passes: 5 * HOUR },
    { kind: "carrier", answer: { kind: "later", reason: "busy", retryAfterSeconds: 1800 } },
    { kind: "run", fault: "before" },
    { kind: "carrier", answer: { kind: "accepted", carrierMessageId: "c" } },
    { kind: "time", passes: -HOUR },
    { kind: "run", fault: null },
  ];
  for (const step of steps) await trial.take(step);
  await trial.end();
  expect(trial.submitted).toBe(3);
});
