import { beforeEach, describe, expect, it } from "vitest";
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

describe("websites", () => {
  it("are created, replaced, listed and read", async () => {
    const settings = { name: "Brand", sender: "+12125550000", helpText: "Write to us", duplicateWindowHours: 24 };
    const created = await json(world.operator("PUT", "/websites/brand", settings));
    expect(created).toMatchObject({ status: 200, body: { websiteId: "brand", carrier: "sandbox", ...settings } });
    world.advance(60);
    const replaced = await json(world.operator("PUT", "/websites/brand", { name: "New name" }));
    expect(replaced.body).toMatchObject({ ...settings, name: "New name" });
    expect(replaced.body.createdAt).toBe(created.body.createdAt);
    const list = await json(world.operator("GET", "/websites"));
    expect(list.body.websites).toMatchObject([{ websiteId: "brand", name: "New name" }]);
    const one = await json(world.operator("GET", "/websites/brand"));
    expect(one.body).toMatchObject({ websiteId: "brand", clients: [] });
  });

  it("are refused with every wrong field told", async () => {
    const wrong = { carrier: "pigeon", sender: 5, duplicateWindowHours: 1.5, helpText: "x".repeat(1601) };
    const answer = await json(world.operator("PUT", "/websites/brand", wrong));
    expect(answer.status).toBe(400);
    expect(fields(answer)).toEqual(["carrier", "duplicateWindowHours", "helpText", "name", "sender"]);
    expect(JSON.stringify(answer.body)).toContain("must be one of: sandbox");
  });

  it.each(["UPPER", "a_b", "x".repeat(41), "a.b", "%20"])("may not have the id %s", async (websiteId) => {
    const answer = await json(world.operator("PUT", `/websites/${websiteId}`, { name: "x" }));
    expect(answer.status).toBe(400);
    expect(fields(answer)).toEqual(["websiteId"]);
  });

  it("that are unknown are 40401, whatever is asked of them", async () => {
    for (const [method, path] of [
      ["GET", "/websites/nobody"],
      ["POST", "/websites/nobody/clients"],
      ["POST", "/websites/nobody/subscribers"],
    ] as const) {
      const answer = await json(world.operator(method, path, method === "POST" ? {} : undefined));
      expect(answer).toMatchObject({ status: 404, body: { code: 40401 } });
    }
  });
});

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
    expect((await patch({ callbackUrl: "" })).body).toMatchObject({ operations: ["send"], callbackUrl: null });
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
    const third = await rotate({});
    expect([await works(), await works(second), await works(third)]).toEqual([401, 200, 200]);
  });

  it("that were changed elsewhere are refused here within 90 seconds", async () => {
    expect(await works()).toBe(200);
    const elsewhere = await World.another(world);
    await elsewhere.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
    world.advance(60);
    expect(await works()).toBe(403);
  });

  it("whose copy in KV was not written are copied by the sweep", async () => {
    const { credentials } = world.deps;
    const broken = new (Object.getPrototypeOf(credentials).constructor)({ put: () => Promise.reject(new Error("KV")) });
    world.deps = { ...world.deps, credentials: broken };
    const answer = await json(world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true }));
    expect(answer.status).toBe(503);
    world.deps = { ...world.deps, credentials };
    await world.sweep();
    world.advance(31);
    expect(await works()).toBe(403);
  });

  it("that are unknown are 40401", async () => {
    for (const id of ["0".repeat(32), "nope"]) {
      expect(await json(world.operator("PATCH", `/clients/${id}`, {}))).toMatchObject({ body: { code: 40401 } });
      expect(await json(world.operator("POST", `/clients/${id}/rotate`, {}))).toMatchObject({ body: { code: 40401 } });
    }
  });
});

describe("an import of subscribers", () => {
  const subscription = async (phone: number) =>
    (await world.rows("SELECT subscribed, email FROM subscriptions WHERE phone = ?1", phone))[0];

  beforeEach(async () => {
    await world.website();
  });

  it("says what it imported and what it could not read", async () => {
    const answer = await json(
      world.subscribers("brand", [
        "+12125550100,Ada@Example.com,",
        "nope,,",
        "+12125550101,,FALSE",
        "+12125550100,,no",
      ]),
    );
    expect(answer).toEqual({ status: 200, body: { imported: 2, invalidPhoneNumbers: ["nope"] } });
    expect(await subscription(12125550100)).toEqual({ subscribed: 0, email: null });
    expect(await subscription(12125550101)).toEqual({ subscribed: 0, email: null });
  });

  it("keeps an address that a later file does not name, and imports a number without a broken one", async () => {
    await world.subscribers("brand", ["+12125550100,ada@example.com"]);
    const answer = await json(world.subscribers("brand", ["+12125550100,,false", "+12125550101,not an address"]));
    expect(answer.body).toEqual({ imported: 2, invalidPhoneNumbers: [], invalidEmails: ["not an address"] });
    expect(await subscription(12125550100)).toEqual({ subscribed: 0, email: "ada@example.com" });
  });

  it("records every change once, with the request that made it", async () => {
    await world.subscribers("brand", ["+12125550100"]);
    await world.subscribers("brand", ["+12125550100"]);
    await world.subscribers("brand", ["+12125550100,,false"]);
    const changes = await world.rows("SELECT was_subscribed, subscribed, source, proof FROM subscription_changes");
    expect(changes).toMatchObject([
      { was_subscribed: null, subscribed: 1, source: "import" },
      { was_subscribed: 1, subscribed: 0, source: "import" },
    ]);
    expect(changes[0]?.proof).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("stores nothing of a file that has a wrong row", async () => {
    const answer = await json(world.subscribers("brand", ["+12125550100,,true", "+12125550101,,maybe"]));
    expect(answer.body).toMatchObject({
      code: 40001,
      details: [{ message: "must be true or false; row 2 has neither" }],
    });
    expect(await world.rows("SELECT * FROM subscriptions")).toEqual([]);
  });

  it("takes 50,000 rows", async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `+1212${5_000_000 + index},p${index}@example.com,`);
    expect((await json(world.subscribers("brand", lines))).body).toEqual({ imported: 50_000, invalidPhoneNumbers: [] });
    expect(await world.rows("SELECT count(*) AS n FROM subscriptions")).toEqual([{ n: 50_000 }]);
  });

  it("wants text/csv with a column phone_numbers", async () => {
    expect((await json(world.operator("POST", "/websites/brand/subscribers", {}))).body.code).toBe(41500);
    const answer = await json(world.operator("POST", "/websites/brand/subscribers", "phone\n+1", "text/csv"));
    expect(answer.body).toMatchObject({ code: 40001, details: [{ field: "body" }] });
  });
});

describe("a message, as the operator sees it", () => {
  it("has its events in order", async () => {
    const client = await world.brand([ADA]);
    const messageId = await world.send(client, { phone: ADA, callbackData: "" });
    await world.runQueues();
    const { body } = await json(world.operator("GET", `/messages/${messageId}`));
    expect(body).toMatchObject({
      messageId,
      websiteId: "brand",
      status: "DELIVERED",
      phone: ADA,
      acceptedAt: "2026-11-21T12:00:00.000Z",
      events: [{ status: "SENDING" }, { status: "DELIVERED" }],
      callbacks: [],
    });
  });

  it("that is unknown is 40401", async () => {
    for (const id of [crypto.randomUUID(), "'%20OR%201=1"]) {
      expect(await json(world.operator("GET", `/messages/${id}`))).toMatchObject({
        status: 404,
        body: { code: 40401 },
      });
    }
  });
});

describe("the e-mail address of a person", () => {
  const path = `/websites/brand/people/${ADA}`;
  const find = async (client: TestClient) => world.statusOf(await world.send(client, { email: "ada@example.com" }));

  it("is kept by a file that gives none, and can be removed", async () => {
    const client = await world.brand([`${ADA},ada@example.com`]);
    await world.subscribers("brand", [`${ADA},`]);
    expect(await find(client)).toBe("PENDING_TO_SEND");
    const before = await json(world.operator("GET", path));
    for (let repeated = 0; repeated < 2; repeated++) {
      expect(await json(world.operator("DELETE", `${path}/email`))).toEqual({
        status: 200,
        body: { phone: ADA, email: null },
      });
    }
    expect(await find(client)).toBe("FAILED_TO_MATCH");
    expect((await json(world.operator("GET", path))).body).toEqual({ ...before.body, email: null });
    expect(await world.statusOf(await world.send(client, { phone: ADA }))).toBe("PENDING_TO_SEND");
    await world.subscribers("brand", [`${ADA},ada@example.com`]);
    expect(await find(client)).toBe("PENDING_TO_SEND");
  });

  it("is removed in one website, and of a number that is known there", async () => {
    await world.brand([`${ADA},ada@example.com`], "other");
    await world.website();
    expect(await json(world.operator("DELETE", `${path}/email`))).toMatchObject({
      status: 404,
      body: { code: 40401, message: "There is no such number." },
    });
    expect(await json(world.operator("DELETE", "/websites/brand/people/nobody/email"))).toMatchObject({ status: 400 });
    const other = await json(world.operator("GET", `/websites/other/people/${ADA}`));
    expect(other.body.email).toBe("ada@example.com");
  });
});
