import { beforeEach, describe, expect, it } from "vitest";
import { SEND } from "../world.ts";
import { ADA, begin, bulk, client, world } from "./duplicates-stage.ts";

const GRACE = "+12125550177";

beforeEach(begin);

describe("only what was sent, or may be, suppresses a duplicate", () => {
  it("a welcome text that came before the subscription does not keep back the one after it", async () => {
    const before = await world.send(client, { phone: GRACE });
    expect(await world.statusOf(before)).toBe("NOT_FOUND");
    await world.subscribers("brand", [GRACE]);
    const after = await world.send(client, { phone: GRACE });
    expect(after).not.toBe(before);
    expect(await world.statusOf(after)).toBe("PENDING_TO_SEND");
    expect(await world.send(client, { phone: GRACE })).toBe(after);
  });

  it.each([
    ["NOT_SUBSCRIBED", false],
    ["FAILED_TO_SEND", false],
    ["PENDING_TO_SEND", true],
    ["SENDING", true],
    ["DELIVERED", true],
    ["FAILED_TO_DELIVERY", true],
  ])("a message that is %s: %s", async (status, suppresses) => {
    const first = await world.send(client, { phone: ADA });
    await world.rows(
      "UPDATE messages SET status = ?2, due_at = iif(?2 = 'PENDING_TO_SEND', accepted_at, NULL) WHERE message_id = ?1",
      first,
      status,
    );
    expect((await world.send(client, { phone: ADA })) === first).toBe(suppresses);
    expect((await bulk([{ ...SEND, phone: ADA }])).successSent[0]?.messageId === first).toBe(suppresses);
  });

  it("under an Idempotency-Key as well", async () => {
    const first = await world.send(client, { phone: GRACE });
    await world.subscribers("brand", [GRACE]);
    const headers = { "idempotency-key": "k" };
    const body = { ...SEND, phone: GRACE };
    const answers = await Promise.all([1, 2].map(() => world.post("/text/message/send", client, body, headers)));
    const ids = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { messageId: string }).messageId),
    );
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).not.toBe(first);
    const kept = await bulk([body, body], { "idempotency-key": "b" });
    expect(kept.successSent.map(({ messageId }) => messageId)).toEqual([ids[0], ids[0]]);
  });
});

describe("a bulk request with an Idempotency-Key", () => {
  it("answers a repetition the same after its website has ceased to suppress duplicates", async () => {
    const body = { ...SEND, phone: ADA };
    const first = await bulk([body, body], { "idempotency-key": "k" });
    await world.website("brand", { duplicateWindowHours: null });
    expect(await bulk([body, body], { "idempotency-key": "k" })).toEqual(first);
  });
});

describe("another time is another message", () => {
  const at = (minutes: number) => new Date(world.now + minutes * 60_000).toISOString();

  it.each<[what: string, first: Record<string, string>, second: Record<string, string>, isDuplicate: boolean]>([
    ["the same text for another day", { sendAt: "60" }, { sendAt: "1440" }, false],
    ["a text for now, while it is scheduled", { sendAt: "60" }, {}, false],
    ["a text for later that has gone", {}, { sendAt: "60" }, false],
    ["the same time", { sendAt: "60" }, { sendAt: "60" }, true],
    ["the same time in another zone", { sendAt: "Z60" }, { sendAt: "+02:00" }, true],
    ["none, none again, or an empty one", {}, { sendAt: "" }, true],
  ])("%s", async (_, first, second, isDuplicate) => {
    const zoned = { ...SEND, phone: ADA };
    const timeOf = ({ sendAt }: Record<string, string>) => {
      if (sendAt === undefined || sendAt === "") return sendAt === undefined ? {} : { sendAt };
      if (sendAt === "Z60") return { sendAt: at(60) };
      if (sendAt === "+02:00") return { sendAt: at(180).replace("Z", "+02:00") };
      return { sendAt: at(Number(sendAt)) };
    };
    const one = await world.send(client, { ...zoned, ...timeOf(first) });
    const two = await world.send(client, { ...zoned, ...timeOf(second) });
    expect(two === one).toBe(isDuplicate);
    expect((await bulk([{ ...zoned, ...timeOf(second) }])).successSent[0]?.messageId).toBe(two);
  });
});
