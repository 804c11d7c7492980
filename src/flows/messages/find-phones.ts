import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../domain/clients/client.ts";
import type { FieldError } from "../../domain/failure.ts";
import { findCountryFault } from "../../domain/messages/allowed-countries.ts";
import type { SendRequest } from "../../domain/messages/send-request.ts";
import { readPhonesOfEmails } from "../../store/people/emails.ts";

/** The numbers of e-mail addresses. */
export type Phones = ReadonlyMap<string, number>;

/** Reads the numbers of requests by e-mail: their country is stored, and settings of the website depend on them. */
export async function findPhones(deps: Deps, client: Credentials, requests: readonly SendRequest[]): Promise<Phones> {
  const emails = requests.flatMap(({ email }) => email ?? []);
  return emails.length === 0 ? new Map() : readPhonesOfEmails(deps.db, client.websiteId, emails);
}

/** What trySend cannot know: whether the number of an e-mail address is in a country to which the website sends. */
export function findEmailFault(client: Credentials, { email }: SendRequest, phones: Phones): FieldError | undefined {
  const phone = email === null ? undefined : phones.get(email);
  return phone === undefined ? undefined : findCountryFault(client.allowedCountries, phone, "email");
}
