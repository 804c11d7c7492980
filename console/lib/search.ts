import type { FoundPerson } from "../answers.ts";
import { ask, Failure } from "./ask.ts";
import { isEmail, isMessageId, isPhone, personIn } from "./phones.ts";
import { toHash } from "./router.ts";
import { parseSearch } from "./search-words.ts";

/** The masked numbers of people that were searched for, by the id that stands for them in addresses. */
const maskedOf = new Map<string, string>();

export const maskedNumberOf = (personId: string): string => maskedOf.get(personId) ?? "this person";

const WITHOUT_COUNTRY = "A number begins with + and its country: +1 206 555 0142.";

/**
 * A number is exchanged for the id of the person: it never gets into an address, which a history would keep.
 * @throws Failure of 404 when nobody has it, of 400 when it lacks its country
 */
export async function findPerson(text: string): Promise<FoundPerson> {
  if (!isPhone(text) && !isEmail(text)) throw new Failure(400, { code: 40001, message: WITHOUT_COUNTRY }, null);
  const body = isEmail(text) ? { email: text } : { phone: text.replaceAll(/[ ()-]/g, "") };
  const found = await ask<FoundPerson>("/operator/people/find", { method: "POST", body });
  maskedOf.set(found.personId, found.phone);
  return found;
}

/** @returns the address of the page that shows what was searched for */
export async function searchFor(input: string): Promise<string> {
  const text = input.trim();
  if (isMessageId(text)) return toHash(["messages", text.toLowerCase()]);
  const person = personIn(parseSearch(text).text);
  if (person) return toHash(["people", (await findPerson(person)).personId]);
  return toHash(["messages"], { q: text });
}
