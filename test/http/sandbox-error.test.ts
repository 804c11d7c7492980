import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { routes } from "../../src/router.ts";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BODY = { phone: ADA, text: "Brand: hello", callbackData: "{}", sendPurpose: "x", phone_numbers: [ADA] };
/** Every call of a client: none may leave the header out. */
const CALLS = routes
  .filter(([, , , path]) => path.startsWith("/text/"))
  .map(([method, , , path]) => [method, path] as const);

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
});

afterEach(() => {
  vi.useRealTimers();
});

async function call(error: string, method = "POST", path = "/text/message/send", more: Record<string, string> = {}) {
  const headers = {
    "x-client-id": client.clientId,
    "x-client-secret": client.clientSecret,
    "content-type": "application/json",
    "sandbox-error": error,
    ...more,
  };
  const body = method === "GET" ? {} : { body: JSON.stringify({ ...BODY, messages: [BODY] }) };
  const answer = await world.fetch(path, { method, headers, ...body });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as { code: number; message: string },
  };
}

const counted = async () => (await world.rows("SELECT count(*) AS n FROM messages"))[0]?.n;

describe("Sandbox-Error, for a website of the sandbox", () => {
  it.each(CALLS)("is answered by %s %s, and nothing is stored", async (method, path) => {
    const before = await world.rows("SELECT * FROM subscription_changes");
    for (const error of ["42900", "50000", "50300"]) {
      const { status, headers, body } = await call(error, method, path);
      expect([status, body.code]).toEqual([Number(error.slice(0, 3)), Number(error)]);
      expect(headers.get("retry-after")).toBe({ "42900": "1", "50000": null, "50300": "3" }[error]);
      expect(headers.get("ratelimit")).toMatch(error === "42900" ? /r=0;/ : /r=[12]\d\d;/);
    }
    expect(await counted()).toBe(0);
    expect(world.jobs).toEqual([]);
    expect(await world.rows("SELECT * FROM subscription_changes")).toEqual(before);
  });

  it.each(["42900", "50000", "50300"])("says in the error %s that it was asked for", async (error) => {
    expect((await call(error)).body.message).toMatch(/\. \(Asked for by the header Sandbox-Error\.\)$/);
  });

  it("says of a fault what a real one says: a send may be stored", async () => {
    const advice = "The message may be stored, so repeat the request only with the same Idempotency-Key.";
    for (const path of ["/text/message/send", "/text/bulk/message/send"])
      expect([path, (await call("50000", "POST", path)).body.message]).toEqual([path, expect.stringContaining(advice)]);
    expect((await call("50000", "POST", "/text/subscribe")).body.message).not.toContain(advice);
  });

  it("uses no Idempotency-Key, and the answer says that the key makes it safe", async () => {
    const key = { "idempotency-key": "k" };
    const { body } = await call("50300", "POST", "/text/message/send", key);
    expect(body.message).toContain("with the same Idempotency-Key");
    const { messageId } = (await (
      await world.post("/text/message/send", client, { ...BODY, text: "Other" }, key)
    ).json()) as {
      messageId: string;
    };
    expect(await world.statusOf(messageId)).toBe("PENDING_TO_SEND");
  });

  it.each(CALLS)("counts against the limit, once: %s %s", async (method, path) => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    const left: number[] = [];
    for (let requests = 0; requests < 3; requests++) {
      const { headers } = await call("50300", method, path);
      left.push(Number(/r=(\d+);/.exec(headers.get("ratelimit") ?? "")?.[1]));
    }
    expect(left).toEqual([299, 298, 297]);
  });

  it("is over the limit as anything is", async () => {
    vi.useFakeTimers({ now: world.now, toFake: ["Date"] });
    const codes: number[] = [];
    while (codes.length < 320) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => call("50300")));
      codes.push(...answers.map(({ body }) => body.code));
    }
    expect([codes.filter((code) => code === 50300).length, codes.filter((code) => code === 42900).length]).toEqual([
      300, 20,
    ]);
  });

  it("that names no such error is refused", async () => {
    const { body } = await call("503");
    expect(body).toMatchObject({ code: 40001, details: [{ field: "Sandbox-Error" }] });
    expect(await counted()).toBe(0);
  });

  it("is nothing that the service reports as a fault of its own", async () => {
    world.logs.length = 0;
    await call("50000");
    await call("50300");
    expect(world.logs.filter((line) => /request.failed|store.unavailable/.test(line))).toEqual([]);
  });
});

describe("Sandbox-Error elsewhere", () => {
  it.each(["42900", "50000", "50300", "503"])("is ignored: %s", async (error) => {
    await world.rows("UPDATE websites SET carrier = 'twilio'");
    const { status } = await call(error);
    expect([status, await counted()]).toEqual([200, 1]);
  });

  it("is refused without credentials, as anything is", async () => {
    client = { ...client, clientSecret: "0".repeat(64) };
    expect((await call("50300")).body.code).toBe(40101);
  });
});
