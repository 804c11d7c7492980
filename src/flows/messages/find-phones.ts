import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../domain/clients/client.ts";
import type { FieldError } from "../../domain/failure.ts";
import { findCountryFault } from "../../domain/messages/allowed-countries.ts";
import { isHeldToHours } from "../../domain/messages/message-times.ts";
import type { SendRequest } from "../../domain/messages/send-request.ts";
import { readPhonesOfEmails } from "../../store/people/emails.ts";

/** The numbers of e-mail addresses. */
export type Phones = ReadonlyMap<string, number>;

/** Reads the numbers of requests by e-mail, where a setting of the website depends on them: its countries, or its sending hours. */
export async function findPhones(deps: Deps, client: Credentials, requests: readonly SendRequest[]): Promise<Phones> {
  const isAsked = (request: SendRequest) => client.allowedCountries !== null || isHeldToHours(client, request);
  const emails = requests.flatMap((request) => (request.email !== null && isAsked(request) ? request.email : []));
  return emails.length === 0 ? new Map() : readPhonesOfEmails(deps.db, client.websiteId, emails);
}

/** What trySend cannot know: whether the number of an e-mail address is in a country to which the website sends. */
export function findEmailFault(client: Credentials, { email }: SendRequest, phones: Phones): FieldError | undefined {
  const phone = email === null ? undefined : phones.get(email);
  return phone === undefined ? undefined : findCountryFault(client.allowedCountries, phone, "email");
}
