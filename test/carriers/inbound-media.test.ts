/** What clients hear of media that people text. */
import { afterEach, expect, it, vi } from "vitest";
import { ADA, CARRIERS, CarrierWorld, mockSockets, OURS } from "./carrier-world.ts";

mockSockets();

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

const [ONE, TWO] = ["https://media.example.com/1.jpg", "https://media.example.com/2.jpg"];

/** The fields of a webhook with media, and of one with media that have no address. */
const FIELDS: Record<string, { media: object; broken: object }> = {
  twilio: { media: { NumMedia: "2", MediaUrl0: ONE, MediaUrl1: TWO }, broken: { NumMedia: "many" } },
  telnyx: {
    media: { type: "MMS", media: [{ url: ONE, content_type: "image/jpeg" }, { url: TWO }] },
    broken: { media: [{ content_type: "image/jpeg" }] },
  },
};

it.each(CARRIERS.filter(({ name }) => name in FIELDS))("$name: the addresses of media are told", async (carrier) => {
  at = await CarrierWorld.create(carrier);
  await at.world.client("brand", { events: ["message.received"] });
  const { media, broken } = FIELDS[carrier.name] as { media: object; broken: object };
  const told = async (words: string, more: object) => {
    const answer = await at.inbound(words, { more: more as Record<string, string> });
    expect(answer.status).toBe(200);
    const [row] = await at.world.rows("SELECT body FROM events WHERE body IS NOT NULL");
    await at.world.rows("DELETE FROM events");
    return JSON.parse(String(row?.body));
  };
  expect(await told("look", media)).toMatchObject({ from: ADA, to: OURS, text: "look", mediaUrls: [ONE, TWO] });
  expect(await told("look", {})).toMatchObject({ mediaUrls: [] });
  expect(await told("STOP", broken)).toMatchObject({ text: "STOP", keyword: "stop", mediaUrls: [] });
});
