import { describe, expect, it } from "vitest";
import type { InboundText, PersonAtWebsite, SubscriptionChange } from "../../../console/answers.ts";
import { proofOf } from "../../../console/lib/opt-out-proof.ts";
import { isOptedOut, stepsOfPerson } from "../../../console/pages/person-steps.tsx";
import { person } from "./fixture-people.ts";

const AT = "2026-11-21T17:02:44.300Z";
const optOut = (more: Partial<SubscriptionChange>): SubscriptionChange => ({
  ...{ changeId: 1, from: true, to: false, at: AT, addressChanged: false, source: "keyword", proof: "STOP" },
  ...more,
});
const inbound = (more: Partial<InboundText>): InboundText => ({
  ...{
    from: "+12065550142",
    to: "+15035550107",
    text: "STOP",
    keyword: "stop",
    maybeOptOut: false,
    withoutEffect: null,
  },
  ...{ carrier: "kannel", carrierMessageId: "in-1", receivedAt: "2026-11-21T17:02:44Z", decided: null },
  ...more,
});

function siteOf(change: SubscriptionChange, texts: InboundText[] = []): PersonAtWebsite {
  const [site] = person().websites;
  if (!site) throw new Error("the fixture has none");
  return { ...site, websiteName: "Shop", subscribed: change.to, optedOutByPerson: true, changes: [change], texts };
}

const personOf = (site: PersonAtWebsite) => ({ ...person(), websites: [site], messages: [] });

/** How many steps each tab has. */
const countsOf = (site: PersonAtWebsite) => {
  const steps = stepsOfPerson(personOf(site));
  const of = (kind: "consent" | "in") => steps.filter(({ kinds }) => kinds.includes(kind)).length;
  return { all: steps.length, consent: of("consent"), in: of("in") };
};

describe("the page of a person", () => {
  it.each<[name: string, SubscriptionChange, InboundText[], texts: number, steps: number]>([
    ["a STOP", optOut({}), [inbound({})], 1, 1],
    ["a STOP that was stored half a minute later", optOut({ at: "2026-11-21T17:03:14Z" }), [inbound({})], 1, 1],
    ["a STOP whose text is not kept any more", optOut({}), [], 1, 1],
    [
      "a START",
      optOut({ to: true, from: false, proof: "START" }),
      [inbound({ text: "START", keyword: "start" })],
      1,
      1,
    ],
    [
      "two STOPs, of which the nearer counts",
      optOut({}),
      [inbound({}), inbound({ carrierMessageId: "in-2", receivedAt: "2026-11-21T17:03:30Z" })],
      2,
      2,
    ],
    [
      "what somebody has decided later",
      optOut({ proof: "no more", at: "2026-11-22T09:00:00Z" }),
      [inbound({ text: "no more", keyword: null })],
      1,
      2,
    ],
    ["an opt-out that the carrier told", optOut({ source: "carrier", proof: "21610" }), [], 0, 1],
    ["an opt-out by a file", optOut({ source: "import", proof: "an-import" }), [], 0, 1],
  ])("has %s under the texts from them, as the proof has what they wrote", (_, change, texts, from, all) => {
    const site = siteOf(change, texts);
    expect(countsOf(site)).toEqual({ all, consent: 1, in: from });
    const proof = proofOf(site, personOf(site));
    if (proof) expect(proof.wrote !== null).toBe(from > 0);
  });

  it("gives the carrier's words as the carrier's", () => {
    const site = siteOf(optOut({ source: "carrier", proof: "21610" }));
    expect(proofOf(site, personOf(site))).toMatchObject({ wrote: null, told: "21610" });
  });

  it.each<[Partial<SubscriptionChange>, what: string, rest: string, isOut: boolean]>([
    [{ source: "keyword" }, "Opted out of Shop", "by the person", true],
    [{ source: "carrier" }, "Opted out of Shop", "told by the carrier", true],
    [{ source: "import", operator: "ada" }, "Opted out of Shop", "by an import of ada", true],
    [{ source: "import", operator: "ada", to: true }, "Subscribed to Shop", "by an import of ada", false],
    [{ source: "import" }, "Opted out of Shop", "by an import", true],
    [{ source: "operator", operator: "bob" }, "Opted out of Shop", "by bob", true],
    [{ source: "operator" }, "Opted out of Shop", "by an operator", true],
    [{ source: "api" }, "Opted out of Shop", "by a client", true],
    [{ source: "undo" }, "No longer subscribed to Shop", "by the undo of an import", false],
  ])("has one word for an opt-out, whoever made it, and says who: %j", (change, what, rest, isOut) => {
    const site = siteOf(optOut(change));
    expect(stepsOfPerson(personOf(site))).toMatchObject([{ what, rest }]);
    expect(isOptedOut(site)).toBe(isOut);
  });

  it("has no opt-out of somebody of whom nothing is known", () => {
    expect(isOptedOut({ ...siteOf(optOut({})), changes: [] })).toBe(false);
  });
});
