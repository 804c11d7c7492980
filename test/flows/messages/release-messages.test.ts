/** Which holds a release ends: the one that it names, and no other. */
import { beforeEach, describe, expect, it } from "vitest";
import { PHONES } from "../../campaign.ts";
import { losingAll } from "../../late-tries.ts";
import { begin, idsOf, own, release } from "./release-messages-stage.ts";

beforeEach(begin);

/** `me` stands for the client of the world. */
const SCOPES = {
  whole: {},
  sale: { sendPurpose: "sale" },
  codes: { sendPurpose: "codes" },
  client: { clientId: "me" },
  "sale of client": { sendPurpose: "sale", clientId: "me" },
};

type Name = keyof typeof SCOPES;

const ALL = Object.keys(SCOPES) as Name[];

const withClient = (scope: object) =>
  JSON.parse(JSON.stringify(scope).replace('"me"', JSON.stringify(own.client.clientId))) as object;

async function holdAll(names: Name[]): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const name of names) ids[name] = (await own.hold(withClient(SCOPES[name]))).holdId;
  return ids;
}

/** The request, the holds that there are, and those that it ends. */
const RELEASES: [asked: object, there: Name[], ends: Name[]][] = [
  [{}, ALL, ["whole"]],
  [{ sendPurpose: "", clientId: null, holdId: "", all: false }, ALL, ["whole"]],
  [{}, ["sale", "client", "sale of client"], []],
  [{ sendPurpose: "sale" }, ALL, ["sale"]],
  [{ sendPurpose: "sale" }, ["whole", "sale of client"], []],
  [{ sendPurpose: "SALE" }, ALL, []],
  [{ clientId: "me" }, ALL, ["client"]],
  [{ clientId: "me" }, ["sale of client"], []],
  [{ sendPurpose: "sale", clientId: "me" }, ALL, ["sale of client"]],
  [{ sendPurpose: "sale", clientId: "me" }, ["sale", "client", "whole"], []],
  [{ holdId: "sale" }, ALL, ["sale"]],
  [{ holdId: "whole" }, ALL, ["whole"]],
  [{ holdId: "sale of client" }, ALL, ["sale of client"]],
  [{ holdId: "somebody" }, ALL, []],
  [{ all: true }, ALL, ALL],
  [{ all: true }, ["codes"], ["codes"]],
  [{ all: true }, [], []],
  [{}, [], []],
];

describe("a release", () => {
  it.each(RELEASES)("%j, of the holds %j, ends %j", async (asked, there, ends) => {
    const ids = await holdAll(there);
    const { holdId } = asked as { holdId?: string };
    const body = { ...withClient(asked), ...(holdId ? { holdId: ids[holdId] ?? holdId } : {}) };
    const answer = await release(body);
    const left = there.filter((name) => !ends.includes(name)).map((name) => ids[name] ?? "");
    const { holds } = await own.read<{ holds: { holdId: string }[] }>("/holds?website=brand");
    expect(idsOf(holds)).toEqual(left.toSorted());
    if (ends.length === 0) {
      expect(answer).toMatchObject({ code: 40401, message: expect.stringContaining("There is no such hold.") });
      expect((answer.details ?? []).map(({ message }) => message.split(":")[0])).toEqual(left);
      expect(await own.world.rows("SELECT 1 FROM audit_log WHERE action = 'release'")).toEqual([]);
    } else {
      expect(idsOf(answer.ended)).toEqual(ends.map((name) => ids[name]).toSorted());
      expect(idsOf(answer.remaining)).toEqual(left.toSorted());
    }
  });

  it.each([
    [{ holdId: "x", sendPurpose: "sale" }, "holdId"],
    [{ holdId: "x", clientId: "me" }, "holdId"],
    [{ holdId: 7 }, "holdId"],
    [{ all: true, holdId: "x" }, "all"],
    [{ all: true, sendPurpose: "sale" }, "all"],
    [{ all: "yes" }, "all"],
  ])("%j is refused, and ends nothing", async (asked, field) => {
    await holdAll(ALL);
    expect(await release(withClient(asked))).toMatchObject({ code: 40001, details: [{ field }] });
    expect((await own.read<{ holds: object[] }>("/holds")).holds).toHaveLength(ALL.length);
  });

  it("of a hold of another website is none", async () => {
    await own.world.brand(PHONES, "shop");
    const { holdId } = await own.hold({}, "shop");
    expect(await release({ holdId })).toMatchObject({ code: 40401, details: [] });
    expect((await own.read<{ holds: object[] }>("/holds")).holds).toHaveLength(1);
  });

  it("says which holds there are, by purpose, client and author", async () => {
    const { holdId } = await own.hold({ sendPurpose: "sale", reason: "asked by +12125550100" });
    const { details } = await release({ sendPurpose: "sael" });
    expect(details).toEqual([{ field: "holdId", message: `${holdId}: sendPurpose sale, held by OPERATOR_TOKEN` }]);
  });
});

describe("a release that is cut off", () => {
  it.each([0, 3])("is finished when it is repeated, %i minutes after the hold", async (minutes) => {
    const ids = await own.campaign();
    const { holdId } = await own.hold();
    const { holdId: other } = await own.hold({ sendPurpose: "another" });
    await own.world.runQueues();
    await own.world.pass(minutes);
    const endLoss = losingAll(own.world, "SET due_at = max(");
    expect(await release({ holdId })).toMatchObject({ code: 50300 });
    endLoss();
    // It holds nothing any more, and a new hold of the same messages is another one.
    expect(idsOf((await own.read<{ holds: { holdId: string }[] }>("/holds")).holds)).toEqual([other]);
    expect(await release({ holdId })).toMatchObject({ released: ids.length, ended: [{ holdId }] });
    expect(await release({ holdId })).toMatchObject({ code: 40401 });
    await own.world.runQueues();
    expect(own.submitted.toSorted()).toEqual(ids.toSorted());
  });
});
