import { digitsAt } from "../../../../bench/seed.ts";
import type { CountingReceiver } from "../../harness/counting-receiver.ts";
import { type Client, operate } from "../../harness/service.ts";

/** What stands in the subscriptions about a number. */
export type Person = "subscribed" | "opted out" | "unknown";

/** One of twenty numbers has not asked for texts: half of them have opted out, half were never seen. */
export function personAt(index: number): Person {
  return index % 20 !== 19 ? "subscribed" : index % 40 === 19 ? "opted out" : "unknown";
}

/** The number of message `index`: each message has one of its own, so that a text tells which request it came of. */
export function phoneAt(index: number): string {
  return `+${digitsAt(index)}`;
}

interface TrialWebsite {
  websiteId: string;
  /** Or an account. */
  carrier: string;
  /** The usual one of the carrier, if not given. */
  sender?: string;
  fallback?: { carrier: string; sender: string };
  messages: Iterable<number>;
}

const senderAt = (carrier: string) => (carrier === "sandbox" ? null : "+12125550000");

/** A website on a carrier, with the people of these messages, and one client whose endpoint, if any, is given. */
export async function makeWebsite(
  url: string,
  { websiteId, carrier, sender, fallback, messages }: TrialWebsite,
  receiver?: Pick<CountingReceiver, "url" | "secret">,
): Promise<Client> {
  const settings = { name: websiteId, carrier, sender: sender ?? senderAt(carrier), ...(fallback ? { fallback } : {}) };
  await operate(url, "PUT", `/websites/${websiteId}`, settings);
  const rows = [...messages]
    .filter((message) => personAt(message) !== "unknown")
    .map((message) => `${phoneAt(message)},${personAt(message) === "subscribed"}`);
  await operate(url, "POST", `/websites/${websiteId}/subscribers`, ["phone_numbers,subscribed", ...rows].join("\n"));
  const endpoint = receiver ? { callbackUrl: receiver.url } : {};
  const client = await operate(url, "POST", `/websites/${websiteId}/clients`, endpoint);
  if (receiver) receiver.secret = client.callbackSecret;
  return { url, ...client };
}
