import { beforeEach, describe, expect, it } from "vitest";
import type { MessageAnswers } from "../../../src/operator/answers/messages.ts";
import { type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

type Story = MessageAnswers["OperatorMessage"];
const read = async (messageId: string) =>
  (await (await world.operator("GET", `/messages/${messageId}`)).json()) as Story;
const send = async (fields: Record<string, unknown> = {}, from = client) => {
  world.advance(60);
  return world.send(from, { phone: ADA, ...fields });
};
const time = () => new Date(world.now).toISOString();

describe("the consent of a message", () => {
  it("is what the ledger said when it was accepted, whatever came later", async () => {
    const since = time();
    const before = await send();
    world.advance(60);
    const optedOut = time();
    await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
    const after = await send({ sendPurpose: "second" });
    expect((await read(before)).consent).toEqual({
      ...{
        subscribed: true,
        since,
        source: "import",
        operator: "OPERATOR_TOKEN",
        proof: expect.any(String),
        changeId: expect.any(Number),
      },
      ...{ consentedAt: null, evidence: null },
    });
    expect((await read(after)).consent).toMatchObject({ subscribed: false, since: optedOut, source: "api" });
    expect((await read(before)).consent?.subscribed).toBe(true);
  });

  it("counts a change of that very moment, and none of the address or of another website", async () => {
    const since = time();
    const other = await world.brand([], "other");
    world.advance(60);
    await world.post("/text/unsubscribe", other, { phone_numbers: [ADA] });
    await world.subscribers("brand", [`${ADA},ada@example.com`]);
    expect((await read(await world.send(client, { phone: ADA }))).consent).toMatchObject({ subscribed: true, since });
    await world.post("/text/unsubscribe", client, { phone_numbers: [ADA] });
    const [{ changed_at: at } = {}] = await world.rows(
      "SELECT max(changed_at) AS changed_at FROM subscription_changes",
    );
    const same = await world.send(client, { phone: ADA, sendPurpose: "same-moment" });
    await world.rows("UPDATE messages SET accepted_at = ?1 WHERE message_id = ?2", at, same);
    expect((await read(same)).consent?.subscribed).toBe(false);
  });

  it("is none where the ledger has no word, and null where there is no number", async () => {
    expect((await read(await send({ phone: "+12125550177" }))).consent).toEqual({
      ...{
        subscribed: false,
        since: null,
        source: null,
        operator: null,
        proof: null,
        changeId: null,
        consentedAt: null,
        evidence: null,
      },
    });
    expect(await read(await send({ phone: undefined, email: "nobody@example.com" }))).toMatchObject({
      ...{ phone: null, consent: null, before: null, after: null },
    });
  });
});

it("a message that waits says when it is given up, and one that does not, nothing", async () => {
  const id = await send();
  const acceptedAt = world.now;
  expect(Date.parse((await read(id)).endsAt ?? "") - acceptedAt).toBe(world.deps.config.submitWithinMilliseconds);
  await world.runQueues();
  expect((await read(id)).endsAt).toBeNull();
});

it("a message has the texts before and after it to the same person, from its own website", async () => {
  const other = await world.brand([ADA], "other");
  const ids: string[] = [];
  for (const sendPurpose of ["first", "second", "third"]) {
    ids.push(await send({ sendPurpose }));
    await send({ sendPurpose: "elsewhere" }, other);
    await send({ phone: "+12125550101" });
  }
  const [first, second, third] = await Promise.all(ids.map(read));
  const named = (story?: Story) => [story?.before?.messageId ?? null, story?.after?.messageId ?? null];
  expect([named(first), named(second), named(third)]).toEqual([
    [null, ids[1]],
    [ids[0], ids[2]],
    [ids[1], null],
  ]);
  expect(second?.before).toEqual({
    messageId: ids[0],
    acceptedAt: first?.acceptedAt,
    sendPurpose: "first",
    status: "PENDING_TO_SEND",
  });
});
