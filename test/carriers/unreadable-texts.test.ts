/** An inbound call that cannot be read may be an opt-out: it is a problem, with its carrier, its count and its cause. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CarrierWorld, mockSockets, OURS } from "./carrier-world.ts";
import { kannel } from "./kannel.ts";
import { inboundOf, telnyx } from "./telnyx.ts";
import { PUBLIC_ORIGIN, type TestCarrier } from "./test-carrier.ts";
import { twilio } from "./twilio.ts";

mockSockets();

const HOUR = 3600;

let at: CarrierWorld;

async function begin(carrier: TestCarrier): Promise<void> {
  at = await CarrierWorld.create(carrier);
  await at.world.sweep();
}

afterEach(() => {
  vi.restoreAllMocks();
});

interface Overview {
  problems: { problem: string; carrier: string | null; since: string | null; cause: string | null; affected: number }[];
}

/** As the console shows them. */
async function problems() {
  const { problems } = (await (await at.world.operator("GET", "/overview")).json()) as Overview;
  return problems.map(({ problem, carrier, since, cause, affected }) => ({ problem, carrier, since, cause, affected }));
}

const unreadable = (carrier: string, cause: string, affected: number, since: string) => [
  { problem: "inbound-unreadable", carrier, since, cause, affected },
];

async function handKannel(query: string): Promise<number> {
  const url = `${PUBLIC_ORIGIN}/carriers/kannel/inbound?key=${kannel.settings.KANNEL_WEBHOOK_KEY}&${query}`;
  return (await at.call({ method: "GET", url, headers: {} })).status;
}

const STOP = `from=%2B12125550100&to=${encodeURIComponent(OURS)}&text=STOP`;

describe("of Kannel", () => {
  beforeEach(() => begin(kannel));

  it("lasts for a day after the latest, and counts each by its cause", async () => {
    const first = new Date(at.world.now).toISOString();
    expect(await handKannel("to=%2B12125550000&text=STOP")).toBe(200);
    at.world.advance(HOUR);
    await at.world.sweep();
    expect(await handKannel("from=&to=%2B12125550000&text=STOP")).toBe(200);
    expect(await handKannel(`id=a&${STOP}&charset=EBCDIC-37`)).toBe(200);
    const cause = "unknown form × 2, character set EBCDIC-37 × 1";
    expect(await problems()).toEqual(unreadable("kannel", cause, 3, first));
    at.world.advance(24 * HOUR - 1);
    await at.world.sweep();
    expect(await problems()).toEqual(unreadable("kannel", cause, 3, first));
    at.world.advance(1);
    expect(await problems()).toEqual([]);
  });

  it("has no name of a character set that could be anything", async () => {
    await handKannel(`id=a&${STOP}&charset=${encodeURIComponent("+12125550100 said")}`);
    expect(await problems()).toMatchObject([{ cause: "character set (no name) × 1" }]);
  });

  it.each(["", "UTF-8", "ISO-8859-1"])("is none of a text in the character set %j", async (charset) => {
    await handKannel(`id=a&${STOP}&charset=${charset}`);
    expect(await problems()).toEqual([]);
    expect((await at.person("+12125550100")).subscribed).toBe(false);
  });

  it("is none of a call without our key: anybody may call so", async () => {
    const url = `${PUBLIC_ORIGIN}/carriers/kannel/inbound?key=wrong&text=STOP`;
    expect((await at.call({ method: "GET", url, headers: {} })).status).toBe(403);
    expect(await problems()).toEqual([]);
  });

  it("comes again while it cannot be counted", async () => {
    await at.world.rows("ALTER TABLE counts RENAME TO counts_away");
    expect(await handKannel("text=STOP")).toBeGreaterThanOrEqual(500);
    await at.world.rows("ALTER TABLE counts_away RENAME TO counts");
    expect(await handKannel("text=STOP")).toBe(200);
    expect(await problems()).toMatchObject([{ affected: 1 }]);
  });
});

describe("of Telnyx", () => {
  beforeEach(() => begin(telnyx));

  const hand = async (payload: object) => (await at.call(await inboundOf(payload, at.world.now))).status;

  it.each<[name: string, payload: object]>([
    ["without a sender", { id: "a", direction: "inbound", to: OURS, text: "STOP" }],
    ["without an id", { direction: "inbound", from: { phone_number: "+12125550100" }, to: OURS, text: "STOP" }],
    ["of another direction", { id: "a", direction: "sideways", from: { phone_number: "+12125550100" } }],
    ["of nothing", {}],
  ])("is an event %s", async (_, payload) => {
    expect(await hand(payload)).toBe(200);
    expect(await problems()).toMatchObject([{ problem: "inbound-unreadable", carrier: "telnyx", affected: 1 }]);
  });

  it("is no event about a text of ours, which a profile posts to the same URL", async () => {
    expect(await hand({ id: "a", direction: "outbound", to: [{ status: "delivered" }] })).toBe(200);
    expect(await problems()).toEqual([]);
  });
});

describe("of Twilio", () => {
  beforeEach(() => begin(twilio));

  it("is a webhook of another product, such as Conversations", async () => {
    const more = { MessageSid: "", EventType: "onMessageAdded", ConversationSid: "CH1", Author: "+12125550100" };
    expect((await at.inbound("STOP", { more })).status).toBe(200);
    expect(await problems()).toMatchObject([{ carrier: "twilio", cause: "unknown form × 1", affected: 1 }]);
  });
});
