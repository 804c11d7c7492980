import { WEBHOOK_KEY } from "../../harness/killable-service.ts";
import { operate, send, untilStatus } from "../../harness/service.ts";
import { phoneAt } from "../crash/client.ts";
import type { Night } from "./night.ts";
import type { Place } from "./place.ts";

/** The number of the website through the gateway. */
const SENDER = "12125550000";

async function textStop({ url }: Place, phone: string): Promise<void> {
  const query = new URLSearchParams({ key: WEBHOOK_KEY, id: "stop-1", from: phone, to: SENDER, text: "STOP" });
  const answer = await fetch(`${url}/carriers/kannel/inbound?${query}`);
  if (!answer.ok) throw new Error(`inbound: ${answer.status}`);
}

/** Each question is answered by one command, whose output has all of this. */
async function answers(
  place: Place,
  args: string[],
  facts: (string | RegExp)[],
): Promise<{ seconds: number; faults: string[] }> {
  const began = performance.now();
  const { output } = await place.operator(...args);
  const lacks = facts.filter((it) => (typeof it === "string" ? !output.includes(it) : !it.test(output)));
  return {
    seconds: (performance.now() - began) / 1000,
    faults: lacks.map((it) => `${args[0]} does not show ${it}:\n${output}`),
  };
}

const questionsNight: Night = {
  name: "where is my message, and a text after STOP",
  async play(place) {
    const brand = await place.makeBrand(2);
    const other = await place.makeBrand(1, { carrier: "sandbox", websiteId: "other" });
    const [asked = "", stopped = ""] = brand.numbers.map(phoneAt);
    await operate(place.url, "POST", "/websites/other/subscribers?everyone=subscribed", `phone_numbers\n${stopped}`);
    const minute = (offset: number) => new Date(Date.now() + offset * 60_000).toISOString();
    const { messageId } = await send(brand.client, { phone: asked });
    await send(brand.client, { phone: stopped });
    await untilStatus(place.url, messageId, "DELIVERED");
    await textStop(place, stopped);
    const refused = await send(brand.client, { phone: stopped });
    const after = await send(other.client, { phone: stopped });
    await untilStatus(place.url, refused.messageId, "NOT_SUBSCRIBED");
    await untilStatus(place.url, after.messageId, "DELIVERED");
    const where = await answers(
      place,
      ["messages", "--phone", asked, "--from", minute(-5), "--until", minute(5)],
      [messageId, "DELIVERED"],
    );
    const why = await answers(
      place,
      ["find-person", stopped],
      [/brand/, /other/, /STOP/, after.messageId, /opted out|unsubscribed|false/i],
    );
    const faults = [...where.faults, ...why.faults];
    const outcome = `one command each, ${where.seconds.toFixed(1)} and ${why.seconds.toFixed(1)} s: DELIVERED with its times; STOP to one website, and the later text of another`;
    return { outcome, faults };
  },
};

export const QUESTION_NIGHTS = [questionsNight];
