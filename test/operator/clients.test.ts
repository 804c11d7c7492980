import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_EVENTS, OPERATIONS } from "../../src/domain/clients/client.ts";
import { SEND, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const json = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const fields = ({ body }: { body: Record<string, unknown> }) =>
  (body.details as { field: string }[]).map(({ field }) => field).sort();

describe("clients", () => {
  let client: TestClient;
  const works = async (secret = client.clientSecret) =>
    (await world.post("/text/message/send", { ...client, clientSecret: secret }, { ...SEND, phone: ADA })).status;

  beforeEach(async () => {
    client = await world.brand([ADA]);
  });

  it("are issued credentials of the stated form, shown once", async () => {
    expect(client.clientId).toMatch(/^[0-9a-f]{32}$/);
    expect(client.clientSecret).toMatch(/^[0-9a-f]{64}$/);
    expect(client.callbackSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = JSON.stringify((await json(world.operator("GET", "/websites/brand"))).body);
    expect(read).toContain(client.clientId);
    expect(read).not.toContain(client.clientSecret);
    expect(read).not.toContain(client.callbackSecret);
  });

  it("keep what a change does not name", async () => {
    const patch = (change: object) => json(world.operator("PATCH", `/clients/${client.clientId}`, change));
    expect((await patch({ operations: ["send", "send"] })).body).toMatchObject({
      operations: ["send"],
      callbackUrl: "https://brand.example.com/callbacks",
      suspended: false,
    });
    world.advance(1);
    expect((await patch({ callbackUrl: "" })).body).toMatchObject({ operations: ["send"], callbackUrl: null });
  });

  it.each(["", null])("keep what a change gives as %j, and are made and rotated as without it", async (absent) => {
    const change = { operations: absent, events: absent, suspended: absent };
    const before = (await json(world.operator("GET", `/clients/${client.clientId}`))).body;
    const { status, body } = await json(world.operator("PATCH", `/clients/${client.clientId}`, change));
    const { operations, events, suspended } = before;
    expect([status, body]).toMatchObject([200, { operations, events, suspended }]);
    const { clientId } = (await json(world.operator("POST", "/websites/brand/clients", change))).body;
    const made = (await json(world.operator("GET", `/clients/${clientId}`))).body;
    expect(made).toMatchObject({ operations: [...OPERATIONS], events: [...DEFAULT_EVENTS], suspended: false });
    world.advance(1);
    const rotated = await json(world.operator("POST", `/clients/${clientId}/rotate`, { graceSeconds: absent }));
    expect([rotated.status, rotated.body.oldPairUntil]).toEqual([200, new Date(world.now + 86_400_000).toISOString()]);
  });

  it("are refused a wrong setting", async () => {
    const wrong = { callbackUrl: "https://10.0.0.1/", operations: ["fly"], suspended: "yes" };
    const answer = await json(world.operator("PATCH", `/clients/${client.clientId}`, wrong));
    expect(fields(answer)).toEqual(["callbackUrl", "operations[0]", "suspended"]);
  });

  it("have two secrets while one is being replaced, and one after", async () => {
    const rotate = (graceSeconds?: number) =>
      json(
        world.operator(
          "POST",
          `/clients/${client.clientId}/rotate`,
          graceSeconds === undefined ? {} : { graceSeconds },
        ),
      );
    const { body } = await rotate(3600);
    expect([await works(), await works(body.clientSecret as string)]).toEqual([200, 200]);
    world.advance(3601);
    expect([await works(), await works(body.clientSecret as string)]).toEqual([401, 200]);
    const second = await rotate(0);
    expect([await works(body.clientSecret as string), await works(second.body.clientSecret as string)]).toEqual([
      401, 200,
    ]);
  });

  it("keep the secret that they use when a rotation is asked for once more, and not when another follows later", async () => {
    const rotate = async () =>
      (await json(world.operator("POST", `/clients/${client.clientId}/rotate`, {}))).body.clientSecret as string;
    const lost = await rotate();
    world.advance(599);
    const second = await rotate();
    expect([await works(), await works(lost), await works(second)]).toEqual([200, 401, 200]);
    world.advance(600);
    const third = await rotate();
    expect([await works(), await works(second), await works(third)]).toEqual([401, 200, 200]);
  });

  it("that are locked out at once stay so, however soon the next rotation comes", async () => {
    const rotate = async (body: object) =>
      (await json(world.operator("POST", `/clients/${client.clientId}/rotate`, body))).body.clientSecret as string;
    const second = await rotate({ graceSeconds: 0 });
    world.advance(1);
    const third = await rotate({});
    expect([await works(), await works(second), await works(third)]).toEqual([401, 200, 200]);
  });

  it("whose copy in KV was not written are copied by the sweep", async () => {
    const { credentials } = world.deps;
    const broken = new (Object.getPrototypeOf(credentials).constructor)({ put: () => Promise.reject(new Error("KV")) });
    world.deps = { ...world.deps, credentials: broken };
    const answer = await json(world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true }));
    expect(answer).toMatchObject({ status: 200, body: { suspended: true, takesEffect: "at-once" } });
    expect(world.logs.join()).toContain('"event":"client.not-spread"');
    expect(await env.CREDENTIALS.get(`client:${client.clientId}`, "json")).toMatchObject({ suspended: false });
    world.deps = { ...world.deps, credentials };
    await world.sweep();
    expect(await env.CREDENTIALS.get(`client:${client.clientId}`, "json")).toMatchObject({ suspended: true });
    expect(await works()).toBe(403);
  });

  it("are copied by a sweep that comes right after their change, but not within the second that KV wants between two", async () => {
    world.advance(1);
    await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
    const copiedAt = () => world.rows("SELECT copied_at - changed_at AS after FROM clients");
    const sweepAfter = async (seconds: number) => {
      world.advance(seconds);
      await world.sweep();
      return (await world.rows("SELECT failed_jobs FROM last_sweep"))[0]?.failed_jobs;
    };
    expect([await sweepAfter(0), await copiedAt()]).toEqual(["[]", [{ after: 0 }]]);
    expect([await sweepAfter(1), await copiedAt()]).toEqual(["[]", [{ after: 1000 }]]);
  });

  it("that are unknown are 40401", async () => {
    for (const id of ["0".repeat(32), "nope"]) {
      expect(await json(world.operator("PATCH", `/clients/${id}`, {}))).toMatchObject({ body: { code: 40401 } });
      expect(await json(world.operator("POST", `/clients/${id}/rotate`, {}))).toMatchObject({ body: { code: 40401 } });
    }
  });
});
