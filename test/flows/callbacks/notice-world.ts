/** A website whose clients want notices, in a world of its own for each test. */
import { vi } from "vitest";
import type { ClientEvent } from "../../../src/domain/clients/client.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { expectDocumentedEvent } from "../../docs/conformance.ts";
import { type TestClient, World } from "../../world.ts";

export const ADA = "+12125550100";
export const BOB = "+12125550101";
export const OURS = "+12125550000";
/** As the clock of a World stands. */
export const AT = "2026-11-21T12:00:00.000Z";
export const ALL: ClientEvent[] = [
  "message.status",
  "message.clicked",
  "message.received",
  "subscription.changed",
  "number.unreachable",
];

type Event = Record<string, unknown>;

export let world: World;
/** By endpoint. */
export let posts: Map<string, Event[]>;
/** The headers of the latest post. */
export let headers: Record<string, string>;

export async function begin(): Promise<void> {
  world = await World.create();
  posts = new Map();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const event = await new Response(init?.body).json<Event>();
    headers = Object.fromEntries(new Headers(init?.headers));
    expectDocumentedEvent(event);
    posts.set(String(input), [...(posts.get(String(input)) ?? []), event]);
    return new Response("thanks");
  });
  await world.website("brand", { carrier: "sandbox", sender: OURS });
  await world.subscribers("brand", [ADA]);
}

export const urlOf = (name: string) => `https://${name}.example.com/`;
export const clientOf = (name: string, events?: ClientEvent[], websiteId = "brand") =>
  world.client(websiteId, { callbackUrl: urlOf(name), ...(events ? { events } : {}) });
export const postsTo = (name: string) => posts.get(urlOf(name)) ?? [];
export const typesTo = (name: string) => postsTo(name).map(({ eventType }) => eventType);

let texts = 0;
export const text = (words: string, { from = ADA, id = `in-${++texts}`, mediaUrls = [] as string[] } = {}) =>
  world.invoke("queue", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: id, from, to: [OURS], text: words, mediaUrls },
      ...{ keyword: null, answeredByCarrier: false },
    }),
  );

export async function feed(client: TestClient): Promise<Event[]> {
  const answer = await world.fetch("/text/events", {
    headers: { "x-client-id": client.clientId, "x-client-secret": client.clientSecret },
  });
  return (await answer.json<{ events: Event[] }>()).events;
}
