import * as z from "zod";
import type { Deps } from "../deps.ts";
import { failField } from "../domain/failure.ts";
import { jsonObject } from "../domain/fields.ts";
import { isEmail } from "../domain/people/email.ts";
import { toDigits, toE164 } from "../domain/people/phone.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { inWebsitesOf } from "../flows/people/find-person.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { PHONE } from "../http/examples.ts";
import { recordLookUp } from "../http/look-ups.ts";
import { toPersonId } from "../platform/person-id.ts";
import { findNumbersOf } from "../store/people/find-by-email.ts";
import { readPerson } from "../store/people/person.ts";
import { findWebsitesOf } from "../store/people/person-tables.ts";
import { personIdAnswers } from "./answers/people.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { readPhone, requireFound } from "./params.ts";

const ONE_OF_BOTH = "must be a string, and one of phone and email be given";

const findSchema = jsonObject({
  phone: z.string(ONE_OF_BOTH).nullish().describe("E.164."),
  email: z.string(ONE_OF_BOTH).nullish().describe("In place of `phone`: whoever is subscribed with it."),
});

/** No number's: it is of no key. */
const PERSON_ID = "p_CzXqkZ5wq1o8mVnR0b4yT2uHc7sLd9eGfJ3aKxPiWvQtYhBn1M6U5rE";

const find = operatorCall({
  id: "findPersonId",
  method: "POST",
  path: "/operator/people/find",
  tag: "People",
  summary: "Find the id of a person",
  description:
    "Use the id where a number must not be, for example in addresses that a browser keeps. A number always has the same id, until `SERVICE_KEY` is replaced. 404 where no website knows the number, or nobody is subscribed with the address.",
  body: settingsBody(findSchema, { number: { phone: PHONE }, address: { email: "ada@example.com" } }),
  answers: [ok(personIdAnswers.FoundPerson, "The person.", { personId: PERSON_ID, phone: PHONE, others: [] })],
  errors: ["resource-unknown", "look-ups-exceeded"],
  isRead: true,
  command: { name: "person-id" },
  run: async (request, deps) => {
    const { phone, email } = await readFields(request, findSchema, BODY_LIMITS.settings);
    if (!phone === !email) failField("phone", "one of phone and email must be given");
    await recordLookUp(request, deps, phone || (email ?? ""));
    const { phones, ...missing } = phone
      ? await findByPhone(deps, readPhone(phone))
      : await findByEmail(deps, email ?? "");
    const people = await Promise.all(phones.map((each) => identify(deps, each)));
    const [first, ...others] = people;
    return { ...requireFound(first, phone ? "number" : "subscribed address"), others, ...missing };
  },
});

async function identify({ config }: Deps, phone: string) {
  return { personId: await toPersonId(phone, config.serviceKey ?? ""), phone };
}

async function findByPhone(deps: Deps, phone: string) {
  const { answers, missing } = await askEach(deps, ({ db }) => findWebsitesOf(db, toDigits(phone), phone));
  return { phones: answers.flat().length > 0 ? [phone] : [], ...missing };
}

async function findByEmail(deps: Deps, given: string) {
  const email = given.trim().toLowerCase();
  if (!isEmail(email)) failField("email", "must be an e-mail address, such as ada@example.com");
  const { answers, missing } = await askEach(deps, ({ db }) => findNumbersOf(db, email));
  return { phones: [...new Set(answers.flat())].map(toE164), ...missing };
}

const reveal = operatorCall({
  id: "revealPerson",
  method: "POST",
  path: "/operator/people/:personId/reveal",
  tag: "People",
  summary: "Show the number of a person",
  description: "Unmasked, with the addresses in all websites. The audit log has who saw it. Not for a viewer.",
  parameters: [inPath("personId", "As an answer has it, or the number itself.", PERSON_ID)],
  answers: [
    ok(personIdAnswers.RevealedPerson, "The number and its addresses.", { phone: PHONE, emails: ["ada@example.com"] }),
  ],
  errors: ["resource-unknown", "fields-wrong"],
  reveals: true,
  command: { name: "reveal-person" },
  run: async (request, deps) => {
    const phone = readPhone((request.params.personId ?? "").replace(/^%2B/i, "+"));
    const { answers, missing } = await askEach(deps, (own) =>
      inWebsitesOf(own, phone, (websiteId) => readPerson(own.db, websiteId, toDigits(phone))),
    );
    const websites = answers.flat();
    if (!missing.unavailableDatabases) requireFound(websites.length > 0, "number");
    const emails = new Set(websites.flatMap((person) => person?.email ?? []));
    return { phone, emails: [...emails], ...missing };
  },
});

export const personIds: Resource = {
  calls: [find, reveal],
  schemas: { FindPersonRequest: findSchema, ...personIdAnswers },
};
