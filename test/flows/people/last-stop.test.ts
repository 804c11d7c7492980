/** The date of the last STOP of an erased person is kept beside the tombstone: a website must honor it for years. */
import { beforeEach, describe, expect, it } from "vitest";
import { applyReceipts } from "../../../src/flows/messages/apply-receipts.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { erasePerson } from "../../../src/store/people/erasure.ts";
import { failingDatabase } from "../../failing-database.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const OURS = "+12125550000";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  await world.website("brand", { sender: OURS });
});

let texts = 0;
const text = (words: string) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{
        carrierMessageId: `in-${++texts}`,
        from: ADA,
        to: [OURS],
        text: words,
        keyword: null,
        answeredByCarrier: false,
      },
    }),
  );
const erase = () => world.operator("DELETE", `/websites/brand/people/${ADA}`);
const unsubscribe = () => world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
const at = () => new Date(world.now).toISOString();

interface Found {
  erased?: { websiteId: string; lastStopAt: string }[];
}

async function read(path: string): Promise<Found & Record<string, unknown>> {
  const answer = await world.operator("GET", path);
  expect(answer.status).toBe(200);
  return answer.json();
}
const erased = async (path = `/people/${ADA}`) => (await read(path)).erased;

describe("the date of the last STOP", () => {
  it("outlives the erasure, and is shown wherever the person was", async () => {
    await text("STOP");
    const stoppedAt = at();
    world.advance(3600);
    expect(await erased()).toBeUndefined();
    await erase();
    const expected = [{ websiteId: "brand", lastStopAt: stoppedAt }];
    for (const path of ["/people/", "/websites/brand/people/"].flatMap((of) => [of + ADA, `${of}${ADA}/export`]))
      expect([path, await erased(path)]).toEqual([path, expected]);
    expect(await read(`/people/${ADA}`)).toMatchObject({ websites: [], messages: [] });
    expect(await read(`/websites/brand/people/${ADA}`)).toMatchObject({ subscribed: false, changes: [], texts: [] });
  });

  it("is none of a person who had not opted out, and none of another website", async () => {
    await world.brand([ADA], "other");
    await unsubscribe();
    await erase();
    expect(await erased()).toBeUndefined();
    expect(await erased(`/websites/other/people/${ADA}`)).toBeUndefined();
    expect((await world.operator("GET", `/websites/brand/people/${ADA}`)).status).toBe(404);
    expect((await world.operator("GET", "/people/+12125550177")).status).toBe(404);
  });

  it("is that of the opt-out, and not of what a client says after it", async () => {
    await text("STOP");
    const stoppedAt = at();
    world.advance(60);
    await unsubscribe();
    await erase();
    expect(await erased()).toEqual([{ websiteId: "brand", lastStopAt: stoppedAt }]);
  });

  it("is also that of an opt-out at the carrier", async () => {
    const messageId = await world.send(client, { phone: ADA });
    await world.runQueues();
    const receipt = { messageId, status: "FAILED_TO_DELIVERY", reason: "opted out", carrierMessageId: null } as const;
    await world.invoke("fetch", () => applyReceipts(world.deps, [{ ...receipt, optedOut: true }]));
    const stoppedAt = at();
    await erase();
    expect(await erased()).toEqual([{ websiteId: "brand", lastStopAt: stoppedAt }]);
  });

  it("is none of a person who came back, and goes with the tombstone at a START", async () => {
    await text("STOP");
    await text("START");
    await erase();
    expect((await world.operator("GET", `/people/${ADA}`)).status).toBe(404);
    await text("STOP");
    await erase();
    expect((await erased())?.[0]?.lastStopAt).toBe(at());
    await text("START");
    expect(await erased()).toBeUndefined();
  });

  it("stays where the person is erased again, and becomes that of a later STOP", async () => {
    await text("STOP");
    const first = at();
    await erase();
    world.advance(60);
    await erase();
    expect(await erased()).toEqual([{ websiteId: "brand", lastStopAt: first }]);
    world.advance(60);
    await text("STOP");
    const second = at();
    expect(await erased()).toEqual([{ websiteId: "brand", lastStopAt: first }]);
    await erase();
    expect(await erased()).toEqual([{ websiteId: "brand", lastStopAt: second }]);
  });

  it("stays where the erasure takes effect and runs again", async () => {
    await text("STOP");
    const db = failingDatabase(world.deps.db, 1, "after", undefined, "batches");
    await erasePerson(db, "brand", 12125550100, "a-mark", world.now);
    expect(await world.rows("SELECT mark, last_stop_at FROM erased_people")).toEqual([
      { mark: "a-mark", last_stop_at: world.now },
    ]);
  });

  it("is shown to a viewer without the number", async () => {
    await text("STOP");
    await erase();
    const made = await world.operator("POST", "/tokens", { name: "vera", role: "viewer" });
    const { token } = (await made.json()) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    const answer = await world.fetch(`/operator/people/${ADA}`, { headers });
    const body = await answer.text();
    expect(body).not.toContain(ADA.slice(1));
    expect(JSON.parse(body).erased).toEqual([{ websiteId: "brand", lastStopAt: at() }]);
  });
});
