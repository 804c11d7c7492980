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

const SENDERS = { kannel: "+12125550000", sandbox: null };

/** A website on a carrier, with the people of these messages, and one client whose endpoint is given. */
export async function makeWebsite(
  url: string,
  { websiteId, carrier, messages }: { websiteId: string; carrier: keyof typeof SENDERS; messages: Iterable<number> },
  receiver: Pick<CountingReceiver, "url" | "secret">,
): Promise<Client> {
  await operate(url, "PUT", `/websites/${websiteId}`, { name: websiteId, carrier, sender: SENDERS[carrier] });
  const rows = [...messages]
    .filter((message) => personAt(message) !== "unknown")
    .map((message) => `${phoneAt(message)},${personAt(message) === "subscribed"}`);
  await operate(url, "POST", `/websites/${websiteId}/subscribers`, ["phone_numbers,subscribed", ...rows].join("\n"));
  const client = await operate(url, "POST", `/websites/${websiteId}/clients`, { callbackUrl: receiver.url });
  receiver.secret = client.callbackSecret;
  return { url, ...client };
}
