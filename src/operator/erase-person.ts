// Erasing a person: in one website, or in all.
import { failField } from "../domain/failure.ts";
import { countOfPerson, erase, eraseEverywhere, requireCount } from "../flows/people/erasure-tombstones.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { inQuery, ok } from "../http/call.ts";
import { PHONE as A_PHONE } from "../http/examples.ts";
import { peopleAnswers } from "./answers/people.ts";
import { countOf, operatorCall } from "./operator-call.ts";
import { PHONE, requirePhone, requireWebsite, WEBSITE } from "./params.ts";

const EXPECTED = inQuery(
  "expected",
  "The number of messages that the caller has seen, `messageCount`. Where it differs, nothing is erased, and 40903 has the number of now.",
  { type: "integer", minimum: 0 },
);

const ONLY_START = "Only the person's START subscribes the number there again.";

/** @returns null: however many */
function readExpected({ query }: ApiRequest): number | null {
  const given = String(query.expected ?? "");
  if (given === "") return null;
  return /^\d{1,9}$/.test(given) ? Number(given) : failField("expected", "must be a whole number of messages");
}

export const eraseEverywhereCall = operatorCall({
  id: "erasePersonEverywhere",
  method: "DELETE",
  path: "/operator/people/:phone",
  tag: "People",
  summary: "Erase a person in all websites",
  description:
    "Erases the person in each website that knows the number, and the texts that reached no website. A website that fails is in `failed`, and the others are still erased. A website that does not know the number gets no tombstone.",
  parameters: [PHONE, EXPECTED],
  answers: [
    ok(peopleAnswers.ErasureEverywhere, "The number of erased messages in each website.", {
      phone: A_PHONE,
      websites: [
        { websiteId: "brand", erasedMessages: 3 },
        { websiteId: null, erasedMessages: 0 },
      ],
      failed: [],
    }),
  ],
  errors: ["fields-wrong", "count-changed"],
  command: {
    name: "erase-person",
    chosenBy: { option: "everywhere", summary: "Erase in every website that knows the number." },
    isFinal: true,
    notes: "The exit code is 4 if a website failed. Then run the command again.",
    next: ({ websites, failed }) => {
      if (failed.length > 0) return "FAILED in some websites: nothing is erased there. Run it again.";
      const known = websites.filter(({ websiteId }) => websiteId !== null).length;
      return known === 0
        ? "No website stores the number: nothing is left to erase."
        : `The person is erased in ${countOf(known, "website")}. ${ONLY_START}`;
    },
    hasProblem: ({ failed }) => failed.length > 0,
  },
  run: async (request, deps) => {
    const phone = requirePhone(request);
    const { erased, failed, missing } = await eraseEverywhere(deps, authorOf(request), phone, readExpected(request));
    return {
      phone,
      websites: erased.map(({ websiteId, messages }) => ({ websiteId: websiteId || null, erasedMessages: messages })),
      failed: failed.map((websiteId) => websiteId || null),
      ...missing,
    };
  },
});

export const eraseOne = operatorCall({
  id: "erasePerson",
  method: "DELETE",
  path: "/operator/websites/:websiteId/people/:phone",
  tag: "People",
  summary: "Erase a person",
  description:
    "Erases everything about a number except its share of report totals and a one-way hash (tombstone), which keeps it opted out: no import and no client can subscribe it again. Only the person can, by texting START: the tombstone is then removed.",
  database: "named",
  parameters: [WEBSITE, PHONE, EXPECTED],
  answers: [ok(peopleAnswers.Erasure, "The number of erased messages.", { phone: A_PHONE, erasedMessages: 3 })],
  errors: ["resource-unknown", "fields-wrong", "count-changed"],
  command: {
    name: "erase-person",
    isFinal: true,
    next: ({ erasedMessages }, { websiteId }) =>
      `The person is erased in ${websiteId}, with ${countOf(erasedMessages, "message")}. ${ONLY_START}`,
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const phone = requirePhone(request);
    requireCount(readExpected(request), await countOfPerson(deps, websiteId, phone));
    const erasedMessages = await erase(deps, authorOf(request), websiteId, phone);
    return { phone, erasedMessages };
  },
});
