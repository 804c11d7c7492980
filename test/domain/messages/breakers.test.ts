/** Which breaker a row of answers opens: that of what they are about. */
import { expect, it } from "vitest";
import { Breakers } from "../../../src/domain/messages/breakers.ts";
import type { BreakerState, Paused } from "../../../src/domain/messages/circuit-breaker.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const MESSAGES = {
  a: { carrier: "twilio", sender: "A" },
  b: { carrier: "twilio", sender: "B" },
  o: { carrier: "kannel", sender: "A" },
};

/** `a sender`: an answer to a text of sender A is about the sender; `a taken`: it was accepted or refused. */
function record(breakers: Breakers, answers: string[]): void {
  for (const answer of answers) {
    const [name, about] = answer.split(" ") as [keyof typeof MESSAGES, Paused | "taken" | "message"];
    const failing = about === "taken" || about === "message" ? undefined : about;
    const rest = { isSlow: false, reason: about, retryAfterSeconds: undefined };
    breakers.record(MESSAGES[name], { failing, isTaken: about === "taken", ...rest }, NOW, 0.5);
  }
}

it.each<[answers: string, paused: string]>([
  ["a sender, a sender, a sender", "a"],
  ["a sender, a sender, b sender", ""],
  ["a account, a account, a account", "a b"],
  ["a account, b account, a account", "a b"],
  ["a carrier, b account, b carrier", "a b"],
  ["o carrier, o carrier, o carrier", "o"],
  ["a account, a account, a sender, a account", ""],
  ["a account, a account, a taken, a account", ""],
  ["a sender, a sender, b taken, a sender", "a"],
  ["a sender, a sender, a taken, a sender", ""],
  ["a sender, a account, a sender, a sender", "a"],
  ["a message, a message, a message, a message", ""],
])("%s: paused are %s", (answers, paused) => {
  const breakers = new Breakers([]);
  record(breakers, answers.split(", "));
  const found = Object.entries(MESSAGES).filter(([, it]) => breakers.of(it).some((breaker) => breaker.pause(NOW)));
  expect(found.map(([name]) => name).join(" ")).toBe(paused);
});

it("a sender without a name has the breaker of its carrier alone", () => {
  expect(new Breakers([]).of({ carrier: "sandbox", sender: null }).map(({ key }) => key)).toEqual([
    { carrier: "sandbox", sender: "" },
  ]);
});

it("says what has changed: a success only where the store has a row", () => {
  const row = { failures: 3, openings: 1, openUntil: 0, cause: "" };
  const known: BreakerState[] = [{ carrier: "twilio", sender: "A", about: "sender", ...row }];
  const breakers = new Breakers(known);
  record(breakers, ["a taken", "b taken", "o account"]);
  const changes = breakers
    .take()
    .map(({ carrier, sender, hasSucceeded, failures }) => [carrier, sender, hasSucceeded, failures]);
  expect(changes).toEqual([
    ["twilio", "A", true, 0],
    ["kannel", "", false, 1],
  ]);
  expect(breakers.take()).toEqual([]);
});
