/** What clients hear of media that people text. */
import { afterEach, expect, it, vi } from "vitest";
import { ADA, CarrierWorld, mockSockets, OURS } from "./carrier-world.ts";
import { twilio } from "./twilio.ts";

mockSockets();

let at: CarrierWorld;

afterEach(() => {
  at.expectPublished();
  vi.restoreAllMocks();
});

const [ONE, TWO] = ["https://media.example.com/1.jpg", "https://media.example.com/2.jpg"];

it("the addresses of media are told to a client that listens", async () => {
  at = await CarrierWorld.create(twilio);
  await at.world.client("brand", { events: ["message.received"] });
  const told = async (words: string, more: Record<string, string>) => {
    const answer = await at.inbound(words, { more });
    expect(answer.status).toBe(200);
    const [row] = await at.world.rows("SELECT body FROM events WHERE body IS NOT NULL");
    await at.world.rows("DELETE FROM events");
    return JSON.parse(String(row?.body));
  };
  expect(await told("look", { NumMedia: "2", MediaUrl0: ONE, MediaUrl1: TWO })).toMatchObject({
    from: ADA,
    to: OURS,
    text: "look",
    mediaUrls: [ONE, TWO],
  });
  expect(await told("look", {})).toMatchObject({ mediaUrls: [] });
  expect(await told("STOP", { NumMedia: "many" })).toMatchObject({ text: "STOP", keyword: "stop", mediaUrls: [] });
});
