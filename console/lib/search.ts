import type { FoundPerson } from "../answers.ts";
import { ask, Failure } from "./ask.ts";
import { isEmail, isMessageId, isPhone, personIn } from "./phones.ts";
import { toHash } from "./router.ts";
import { parseSearch, textFaults, writeSearch } from "./search-words.ts";

/** The masked numbers of people that were searched for, by the id that stands for them in addresses. */
const maskedOf = new Map<string, string>();

export const maskedNumberOf = (personId: string): string => maskedOf.get(personId) ?? "this person";

const WITHOUT_COUNTRY = "A number begins with + and its country: +1 206 555 0142.";
const NO_ADDRESS = "An e-mail address has a domain: ada@example.com.";

const refuse = (message: string) => new Failure(400, { code: 40001, message }, null);

/**
 * @param text as personIn gives it. A number is exchanged for the id of the person: it never gets into an address, which a history would keep.
 * @throws Failure of 404 when nobody has it, of 400 when it lacks its country
 */
export async function findPerson(text: string): Promise<FoundPerson> {
  if (!isPhone(text) && !isEmail(text)) throw refuse(text.includes("@") ? NO_ADDRESS : WITHOUT_COUNTRY);
  const body = isEmail(text) ? { email: text } : { phone: text };
  const found = await ask<FoundPerson>("/operator/people/find", { method: "POST", body });
  maskedOf.set(found.personId, found.phone);
  return found;
}

/** @returns the address of the page that shows what was searched for */
export async function searchFor(input: string): Promise<string> {
  const text = input.trim();
  if (isMessageId(text)) return toHash(["messages", text.toLowerCase()]);
  const search = parseSearch(text);
  const person = personIn(search.text);
  if (person) return toHash(["people", (await findPerson(person)).personId]);
  const [fault] = [...search.faults, ...search.wrong, ...textFaults(search)];
  if (fault) throw refuse(fault);
  return toHash(["messages"], { q: writeSearch(search) });
}
