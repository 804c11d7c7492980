/** Random lives of two numbers, and an oracle that reads the whole history in place of a count. */
import * as fc from "fast-check";
import { expect } from "vitest";
import { ADA, BOB, UnreachableStage } from "./unreachable-stage.ts";

type Act =
  | { kind: "send" | "refused" | "text" | "subscribe" | "import" | "reachable"; who: number }
  /** A receipt for one of the texts without one, whatever their order. */
  | { kind: "receipt"; which: number; says: "delivered" | "dead" | "off" }
  | { kind: "setting"; value: number | null };

const who = fc.nat(1);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("send", "refused"), who }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("receipt"),
      which: fc.nat(20),
      says: fc.constantFrom("dead", "dead", "dead", "off", "delivered"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("text", "subscribe", "import", "reachable"), who }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("setting"), value: fc.option(fc.integer({ min: 1, max: 4 })) }),
  },
) as fc.Arbitrary<Act>;

const PEOPLE = [ADA, BOB];

/** What has happened to a number: `dead` a permanent fault, `reached` what ends a run of them. */
type Happened = "dead" | "reached";

/** Whether the last so many of its texts ended with a permanent fault, with nothing between that reached it. */
function isUnreachable(history: Happened[], texts: number | null): boolean {
  if (texts === null || history.length < texts) return false;
  return history.slice(history.length - texts).every((it) => it === "dead");
}

export async function expectLifeAsTold(acts: Act[]): Promise<void> {
  const it = await UnreachableStage.create();
  let setting: number | null = 3;
  const histories: Happened[][] = [[], []];
  const under: { id: string; who: number }[] = [];
  const submit = async (to: number, fate: "send" | "refused") => {
    const isOut = isUnreachable(histories[to] ?? [], setting);
    const id = await (fate === "send" ? it.send(PEOPLE[to]) : it.refused(PEOPLE[to]));
    const [status, code] = isOut
      ? ["FAILED_TO_SEND", "UNREACHABLE"]
      : fate === "send"
        ? ["SENDING", null]
        : ["FAILED_TO_SEND", "CARRIER_REFUSED"];
    expect(await it.endOf(id)).toEqual({ status, code, attempts: isOut ? 0 : 1 });
    if (isOut) return;
    if (fate === "send") under.push({ id, who: to });
    else histories[to]?.push("dead");
  };
  const report = async (which: number, says: string) => {
    const [text] = under.splice(which % Math.max(1, under.length), 1);
    if (!text) return;
    if (says === "delivered") await it.delivered(text.id);
    else await it.undelivered(text.id, says === "dead" ? "30005" : null);
    if (says !== "off") histories[text.who]?.push(says === "dead" ? "dead" : "reached");
  };
  for (const one of acts) {
    it.world.advance(1);
    if (one.kind === "receipt") await report(one.which, one.says);
    else if (one.kind === "setting") {
      setting = one.value;
      await it.world.website("brand", { unreachableAfter: setting });
    } else if (one.kind === "send" || one.kind === "refused") await submit(one.who, one.kind);
    else {
      const phone = PEOPLE[one.who] ?? "";
      if (one.kind === "text") await it.text("Hello", phone);
      if (one.kind === "subscribe") await it.subscribe(phone);
      if (one.kind === "import") await it.world.subscribers("brand", [phone]);
      if (one.kind === "reachable") await it.world.operator("POST", `/people/${phone}/reachable`);
      histories[one.who]?.push("reached");
    }
  }
  for (const person of [0, 1]) await submit(person, "send");
}

export const liveRandomly = (numRuns: number, maxLength: number) =>
  fc.assert(fc.asyncProperty(fc.array(act, { maxLength, size: "max" }), expectLifeAsTold), { numRuns });
