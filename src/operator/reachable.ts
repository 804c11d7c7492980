import { toDigits } from "../domain/people/phone.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { authorOf } from "../http/api-request.ts";
import { ok } from "../http/call.ts";
import { PHONE as A_PHONE } from "../http/examples.ts";
import { makeReachable } from "../store/messages/number-faults.ts";
import { findWebsitesOf } from "../store/people/person-tables.ts";
import { peopleAnswers } from "./answers/people.ts";
import { countOf, operatorCall } from "./operator-call.ts";
import { PHONE, requirePhone } from "./params.ts";

export const reachable = operatorCall({
  id: "makeReachable",
  method: "POST",
  path: "/operator/people/:phone/reachable",
  tag: "People",
  summary: "Let texts go to an unreachable number again",
  description:
    "Removes the permanent faults of the number in all websites, so that texts go to it again. It becomes unreachable again after `unreachableAfter` further faults. A text from the person, a delivery, a subscribe and an import do the same in their website.",
  parameters: [PHONE],
  answers: [
    ok(peopleAnswers.Reachable, "Texts go to the number again.", {
      phone: A_PHONE,
      websites: [{ websiteId: "brand" }],
    }),
  ],
  errors: ["fields-wrong"],
  command: {
    name: "make-reachable",
    next: ({ websites }) =>
      websites.length === 0
        ? "No website has stored a permanent fault of the number: its texts go already."
        : `Texts to the number go again in ${countOf(websites.length, "website")}.`,
  },
  run: async (request, deps) => {
    const phone = requirePhone(request);
    const author = authorOf(request);
    const digits = toDigits(phone);
    const { answers, missing } = await askEach(deps, async (own) => {
      const known = await findWebsitesOf(own.db, digits, phone);
      return makeReachable(own.db, author, known, digits, deps.now());
    });
    const websites = answers.flat().sort();
    return { phone, websites: websites.map((websiteId) => ({ websiteId })), ...missing };
  },
});
