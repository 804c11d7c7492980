/** What was said of a change is what becomes of it, whatever becomes of the tries of each of its transactions. */
import * as fc from "fast-check";
import { expect } from "vitest";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import { spells } from "./certain.ts";
import { ScriptedBindings } from "./scripted.ts";
import { SENDER, type Stage } from "./stage.ts";

interface Change {
  /** @returns whether it is said to be done */
  ask(stage: Stage, phone: string): Promise<boolean>;
  /** What there is of it. */
  done(stage: Stage, phone: string): Promise<unknown>;
  /** That, before it and after it. */
  states: [before: unknown, after: unknown];
}

const count = async (stage: Stage, sql: string, ...values: unknown[]) => (await stage.world.rows(sql, ...values))[0]?.n;
const digits = (phone: string) => Number(phone.slice(1));
const texts = (stage: Stage, phone: string) =>
  count(stage, "SELECT count(*) AS n FROM messages WHERE phone = ?1", digits(phone));
const subscribed = async (stage: Stage, phone: string) =>
  (await count(
    stage,
    "SELECT subscribed AS n FROM subscriptions WHERE website_id = 'brand' AND phone = ?1",
    digits(phone),
  )) ?? "unknown";
const message = (phone: string, text = "Brand: hello") => ({ phone, text, callbackData: "{}", sendPurpose: "spring" });

export const CHANGES: Record<string, Change> = {
  "a bulk part": {
    ask: async ({ world, clients }, phone) => {
      const messages = [message(phone), message(phone, "Brand: and again")];
      return (await world.post("/text/bulk/message/send", clients.brand, { messages })).status === 200;
    },
    done: texts,
    states: [0, 2],
  },
  "a bulk part with a key": {
    ask: async ({ world, clients }, phone) => {
      const messages = [message(phone), message(phone, "Brand: and again")];
      const key = { "idempotency-key": phone };
      return (await world.post("/text/bulk/message/send", clients.brand, { messages }, key)).status === 200;
    },
    done: texts,
    states: [0, 2],
  },
  "a STOP": {
    ask: ({ world }, phone) =>
      world
        .invoke("fetch", () =>
          receiveInbound(world.deps, "sandbox", {
            ...{ from: phone, to: [SENDER], text: "STOP", keyword: null, answeredByCarrier: false },
            carrierMessageId: `in-${phone}`,
          }),
        )
        .then(
          () => true,
          () => false,
        ),
    done: subscribed,
    states: [1, 0],
  },
  "an import": {
    ask: async ({ world }, phone) => (await world.subscribers("brand", [`${phone},,false`])).status === 200,
    done: subscribed,
    states: [1, 0],
  },
  "an erasure": {
    ask: async ({ world }, phone) =>
      (await world.operator("DELETE", `/websites/brand/people/${encodeURIComponent(phone)}`)).status === 200,
    done: subscribed,
    states: [1, "unknown"],
  },
};

/** @param numRuns how many are drawn of each change */
export async function expectSaid(stage: Stage, { ask, done, states: [before, after] }: Change, numRuns: number) {
  await fc.assert(
    fc.asyncProperty(spells, async (database) => {
      const { phone } = stage.person();
      const bindings = new ScriptedBindings({ database, objects: [], queue: [] });
      expect(await done(stage, phone)).toBe(before);
      stage.world.deps = bindings.wrap(stage.deps);
      const isSaid = await ask(stage, phone);
      await stage.world.afterAnswer();
      stage.world.deps = stage.deps;
      if (isSaid) expect(await done(stage, phone)).toBe(after);
      await bindings.commit();
      expect(isSaid ? [after] : [before, after]).toContain(await done(stage, phone));
      // The queues cancel what was not confirmed, and repeating it is right in any case.
      await stage.pass(60);
      if (!isSaid) expect(await ask(stage, phone)).toBe(true);
      expect(await done(stage, phone)).toBe(after);
    }),
    { numRuns, endOnFailure: true },
  );
}
