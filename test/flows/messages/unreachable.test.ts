/** A number whose latest texts ended with a permanent fault of the number gets no more, until something says that it is reached. */
import { describe, expect, it } from "vitest";
import { ADA, BOB, NO_SUCH_NUMBER, UnreachableStage } from "./unreachable-stage.ts";

const ENDED = { status: "FAILED_TO_SEND", code: "UNREACHABLE", attempts: 0 };

async function unreachable(settings = {}): Promise<UnreachableStage> {
  const it = await UnreachableStage.create(settings);
  for (let text = 0; text < 3; text++) await it.refused();
  return it;
}

describe("a number becomes unreachable", () => {
  it("by three refusals, and its texts are not submitted; other numbers get theirs", async () => {
    const it = await UnreachableStage.create();
    for (let text = 0; text < 3; text++)
      expect(await it.endOf(await it.refused())).toEqual({
        status: "FAILED_TO_SEND",
        code: "CARRIER_REFUSED",
        attempts: 1,
      });
    expect(await it.endOf(await it.send())).toEqual(ENDED);
    expect(await it.endOf(await it.send(ADA, { kind: "transactional" }))).toEqual(ENDED);
    expect(await it.isReached(BOB)).toBe(true);
  });

  it("by receipts, in one transaction or in several", async () => {
    const it = await UnreachableStage.create();
    const ids = [await it.send(), await it.send(), await it.send()];
    const receipts = ids.slice(0, 2).map((messageId) => ({
      ...{ messageId, status: "FAILED_TO_DELIVERY", reason: "30005", carrierMessageId: null },
      ...{ optedOut: false, numberFault: "30005" },
    }));
    await it.world.deliver("textgate-receipts", [{ kind: "receipts", carrier: "test", receipts }]);
    expect(await it.isReached()).toBe(true);
    await it.undelivered(ids[2] ?? "", "30006");
    expect(await it.endOf(await it.send())).toEqual(ENDED);
  });

  it("not by other failures, nor by one that is reported again, or of a text that has ended", async () => {
    const it = await UnreachableStage.create();
    for (let text = 0; text < 4; text++) await it.undelivered(await it.send(), null);
    const id = await it.send();
    for (let time = 0; time < 4; time++) await it.undelivered(id, "30005");
    await it.undelivered(await it.refused(), "30005");
    expect(await it.world.rows("SELECT failures, code FROM number_faults")).toEqual([{ failures: 2, code: "21211" }]);
    expect(await it.isReached()).toBe(true);
  });

  it("not by a receipt of another carrier", async () => {
    const it = await UnreachableStage.create({ unreachableAfter: 1 });
    const receipt = { messageId: await it.send(), status: "FAILED_TO_DELIVERY", reason: null, carrierMessageId: null };
    const receipts = [{ ...receipt, optedOut: false, numberFault: "30005" }];
    await it.world.deliver("textgate-receipts", [{ kind: "receipts", carrier: "another", receipts }]);
    expect(await it.isReached()).toBe(true);
  });

  it("in its website alone", async () => {
    const it = await unreachable();
    await it.world.website("shop", { carrier: "test" });
    await it.world.subscribers("shop", [ADA]);
    const shop = await it.world.client("shop");
    const id = await it.world.send(shop, { phone: ADA });
    await it.world.runQueues();
    expect(await it.world.statusOf(id)).toBe("SENDING");
  });

  it("where the text waited already", async () => {
    const it = await UnreachableStage.create();
    const later = await it.world.send(it.client, { phone: ADA, sendAt: "2026-11-21T13:00:00Z" });
    for (let text = 0; text < 3; text++) await it.refused();
    await it.world.pass(70);
    expect(await it.endOf(later)).toEqual(ENDED);
  });
});

describe("the setting", () => {
  it.each<[unreachableAfter: number | null, texts: number, isReached: boolean]>([
    [1, 1, false],
    [2, 1, true],
    [2, 2, false],
    [10, 9, true],
    [null, 12, true],
  ])("%s: after %d faults, whether a text goes: %s", async (unreachableAfter, texts, isReached) => {
    const it = await UnreachableStage.create({ unreachableAfter });
    for (let text = 0; text < texts; text++) await it.refused();
    expect(await it.isReached()).toBe(isReached);
  });

  it("is 3 for a new website, and a change of it counts at once, for what has failed before too", async () => {
    const it = await UnreachableStage.create();
    const setting = async () =>
      (await it.world.operator("GET", "/websites/brand")).json<{ unreachableAfter: unknown }>();
    expect(await setting()).toMatchObject({ unreachableAfter: 3 });
    await it.refused();
    await it.refused();
    await it.world.website("brand", { unreachableAfter: 2 });
    expect(await it.told()).toEqual([]);
    expect(await it.endOf(await it.send())).toEqual(ENDED);
    expect(await it.told()).toMatchObject([{ phone: ADA, code: "21211" }]);
    await it.world.website("brand", { unreachableAfter: 3 });
    expect(await it.isReached()).toBe(true);
    await it.world.website("brand", { unreachableAfter: null });
    await it.refused();
    expect(await it.isReached()).toBe(true);
    expect(await setting()).toMatchObject({ unreachableAfter: null });
  });

  it.each([0, 11, 1.5, "3"])("is not %s", async (unreachableAfter) => {
    const it = await UnreachableStage.create();
    const answer = await it.world.operator("PUT", "/websites/brand", { unreachableAfter });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 40001 }]);
  });
});

describe("a number is reached again", () => {
  it.each<[by: string, act: (it: UnreachableStage) => Promise<unknown>]>([
    ["a text", (it) => it.text()],
    ["START", (it) => it.text("START")],
    ["a subscribe, though it is subscribed", (it) => it.subscribe()],
    ["an import, though it is subscribed", (it) => it.world.subscribers("brand", [ADA])],
    ["an operator", (it) => it.world.operator("POST", `/people/${ADA}/reachable`)],
  ])("by %s: three more faults make it unreachable again", async (_, act) => {
    const it = await unreachable();
    expect(await it.isReached()).toBe(false);
    it.world.advance(1);
    await act(it);
    await it.refused();
    await it.refused();
    expect(await it.isReached()).toBe(true);
    await it.refused();
    expect(await it.isReached()).toBe(false);
  });

  it("by the delivery of a text that was under way", async () => {
    const it = await UnreachableStage.create();
    const early = await it.send();
    for (let text = 0; text < 3; text++) await it.refused();
    expect(await it.isReached()).toBe(false);
    await it.delivered(early);
    expect(await it.isReached()).toBe(true);
  });

  it.each<[by: string, act: (it: UnreachableStage) => Promise<unknown>]>([
    ["an import that opts it out", (it) => it.world.subscribers("brand", [`${ADA},,false`])],
    ["a dry run", (it) => it.world.subscribers("brand", [ADA], "?dryRun=true")],
    ["a text of somebody else", (it) => it.text("Hello", BOB)],
    ["a subscribe of somebody else", (it) => it.subscribe(BOB)],
    ["a delivery to somebody else", async (it) => it.delivered(await it.send(BOB))],
  ])("not by %s", async (_, act) => {
    const it = await unreachable();
    await act(it);
    expect(await it.world.rows("SELECT failures FROM number_faults")).toEqual([{ failures: 3 }]);
  });

  it("not by a text that the carrier brings again", async () => {
    const it = await UnreachableStage.create();
    const text = { carrierMessageId: "in", from: ADA, to: ["+12125550000"], text: "Hello" };
    const { receiveInbound } = await import("../../../src/flows/people/receive-inbound.ts");
    const bring = () =>
      it.world.invoke("queue", () =>
        receiveInbound(it.world.deps, "test", { ...text, keyword: null, answeredByCarrier: false }),
      );
    await bring();
    for (let time = 0; time < 3; time++) await it.refused();
    await bring();
    expect(await it.isReached()).toBe(false);
  });
});

describe("the event", () => {
  it("is posted once, to the clients that want it, with the carrier's code", async () => {
    const it = await UnreachableStage.create();
    await it.world.client("brand", { callbackUrl: "https://other.example.com/" });
    for (let text = 0; text < 2; text++) await it.refused();
    expect(await it.told()).toEqual([]);
    const id = await it.send();
    await it.undelivered(id, "30005");
    const since = new Date(it.world.now).toISOString();
    expect(await it.told()).toEqual([{ phone: ADA, code: "30005", since }]);
    expect(it.world.callbacks.map(({ body }) => body)).toEqual([`${id}-${it.client.clientId}_number.unreachable`]);
    const feed = await it.world.events(it.client);
    expect(feed).toContainEqual(
      expect.objectContaining({ eventType: "number.unreachable", phone: ADA, code: "30005", since }),
    );
    await it.send();
    expect(await it.told()).toHaveLength(1);
    await it.text();
    for (let text = 0; text < 3; text++) await it.refused();
    expect(await it.told()).toHaveLength(2);
  });

  it("counts as a refusal that a submission has had after an outage", async () => {
    const it = await UnreachableStage.create({ unreachableAfter: 1 });
    it.answer = { kind: "later", reason: "busy", retryAfterSeconds: 1 };
    const id = await it.send();
    it.answer = NO_SUCH_NUMBER;
    await it.world.pass(5);
    expect(await it.endOf(id)).toMatchObject({ status: "FAILED_TO_SEND", code: "CARRIER_REFUSED" });
    expect(await it.told()).toHaveLength(1);
  });
});
