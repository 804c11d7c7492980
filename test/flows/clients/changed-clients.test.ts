/** A change of a client holds at once at the website's object, whatever KV says, and no late write undoes it. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Credentials } from "../../../src/domain/clients/client.ts";
import { RateGate, type RateLimiterNamespace } from "../../../src/platform/rate-limiter.ts";
import { CredentialStore } from "../../../src/store/clients/credentials.ts";
import type { RateLimiter } from "../../../src/website-object.ts";
import { lateDatabase } from "../../failing-database.ts";
import { objectsOn } from "../../objects.ts";
import { SEND, type TestClient, World } from "../../world.ts";

const ADA = "+12125550100";
const objects = env.RATE_LIMITER as RateLimiterNamespace;

let world: World;
/** An isolate on the other side of the world: KV never tells it of a change. */
let far: World;
let client: TestClient;
let asked: number;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  far = await World.another(world);
  const stale = await env.CREDENTIALS.get(`client:${client.clientId}`, "json");
  const get = async (key: string) => (key === `client:${client.clientId}` ? structuredClone(stale) : null);
  asked = 0;
  const getByName = (name: string) => {
    const stub = objectsOn(() => far.deps).getByName(name);
    const admit = (...given: Parameters<typeof stub.admit>) => {
      asked += 1;
      return stub.admit(...given);
    };
    const send = (...given: Parameters<typeof stub.send>) => {
      asked += 1;
      return stub.send(...given);
    };
    return { ...stub, admit, send };
  };
  far.deps.credentials = new CredentialStore({ get } as unknown as KVNamespace);
  far.deps.limiter = new RateGate({ getByName } as unknown as RateLimiterNamespace);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const works = async (where: World, clientSecret = client.clientSecret) => {
  const answer = await where.post("/text/message/send", { ...client, clientSecret }, { ...SEND, phone: ADA });
  return answer.status === 200 ? 200 : ((await answer.json()) as { code: number }).code;
};
const operate = async (method: string, path: string, body: object) => {
  const answer = await world.operator(method, path, body);
  const answered = (await answer.json()) as { takesEffect?: string; clientSecret?: string };
  return { status: answer.status, ...answered };
};
const patch = (change: object) => operate("PATCH", `/clients/${client.clientId}`, change);
const rotate = (body: object) => operate("POST", `/clients/${client.clientId}/rotate`, body);
const object = () => objects.getByName("brand") as unknown as DurableObjectStub<RateLimiter>;

describe("far from where the operator's call was made", () => {
  it("a suspended client is refused at once, although KV knows nothing of it", async () => {
    expect(await works(far)).toBe(200);
    expect(await patch({ suspended: true })).toMatchObject({ status: 200, suspended: true, takesEffect: "at-once" });
    expect(await works(far)).toBe(40300);
  });

  it("a suspended client is refused at once in what is counted before it is answered", async () => {
    const ask = () => far.post("/text/subscription/status", client, { phone_numbers: [ADA] });
    expect((await ask()).status).toBe(200);
    await patch({ suspended: true });
    const answer = await ask();
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 40300 }]);
  });

  it("a grant that was taken away is refused at once", async () => {
    expect(await works(far)).toBe(200);
    await patch({ operations: ["status"] });
    expect(await works(far)).toBe(40301);
  });

  it("a replaced secret is refused at once, or when its grace ends", async () => {
    expect(await works(far)).toBe(200);
    expect(await rotate({ graceSeconds: 60 })).toMatchObject({ status: 200, takesEffect: "at-once" });
    expect(await works(far)).toBe(200);
    far.now += 61_000;
    expect(await works(far)).toBe(40101);
    world.now = far.now;
    await rotate({ graceSeconds: 0 });
    expect(await works(far)).toBe(40101);
  });

  it("the object is asked once more after a change, and then once for each request, as before", async () => {
    for (let request = 0; request < 3; request++) await works(far);
    expect(asked).toBe(3);
    await patch({ callbackUrl: "https://brand.example.com/other" });
    expect([await works(far), asked]).toEqual([200, 5]);
    expect([await works(far), asked]).toEqual([200, 6]);
    far.now += 31_000;
    expect([await works(far), asked]).toEqual([200, 7]);
  });

  it("a suspended client does not reach the object again, nor counts against the website's limit", async () => {
    await works(far);
    await patch({ suspended: true });
    asked = 0;
    for (let request = 0; request < 5; request++) {
      expect(await works(far)).toBe(40300);
      far.now += 31_000;
    }
    expect(asked).toBe(1);
  });

  it("the limiter fails: then what KV says holds, and the operator was told so", async () => {
    await works(far);
    const { limiter } = world.deps;
    const broken = { getByName: () => ({ learn: () => Promise.reject(new Error("object reset")) }) };
    world.deps = { ...world.deps, limiter: new RateGate(broken as unknown as RateLimiterNamespace) };
    expect(await patch({ suspended: true })).toMatchObject({ status: 200, takesEffect: "within-minutes" });
    expect([await works(world), await works(far)]).toEqual([40300, 200]);
    world.deps = { ...world.deps, limiter };
    world.advance(1);
    await world.sweep();
    expect(await works(far)).toBe(40300);
  });
});

describe("a change that comes while an earlier state is copied", () => {
  const copyOf = () => env.CREDENTIALS.get<Credentials>(`client:${client.clientId}`, "json");

  it("is copied after it, however long that takes", async () => {
    await patch({ callbackUrl: "https://brand.example.com/other" });
    world.advance(60);
    const { credentials } = world.deps;
    const slow = new CredentialStore(env.CREDENTIALS);
    slow.write = async (state, now) => {
      world.deps.credentials = credentials;
      // KV takes no more than one write a second, and refuses that of the change.
      vi.spyOn(credentials, "write").mockRejectedValueOnce(new Error("KV PUT failed: 429 Too Many Requests"));
      await patch({ suspended: true });
      await credentials.write(state, now);
      world.advance(130);
    };
    world.deps.credentials = slow;
    await world.sweep();
    world.advance(60);
    await world.sweep();
    expect(await copyOf()).toMatchObject({ suspended: true });
  });
});

describe("the website's object", () => {
  it("knows its changed clients after it was evicted", async () => {
    await works(far);
    await patch({ suspended: true });
    await evictDurableObject(object());
    expect(await works(far)).toBe(40300);
  });

  it("reads its storage once, and not for each request", async () => {
    await works(far);
    await patch({ suspended: true });
    await runInDurableObject(object(), (_, state) => {
      expect([...state.storage.kv.list()].map(([id]) => id)).toEqual([`client:${client.clientId}`]);
      state.storage.kv.delete(`client:${client.clientId}`);
    });
    expect(await works(far)).toBe(40300);
  });

  it("does not go back to an earlier state that comes late, as from the sweep", async () => {
    const earlier = (await env.CREDENTIALS.get<Credentials>(`client:${client.clientId}`, "json")) as Credentials;
    await works(far);
    await patch({ suspended: true });
    await object().learn([earlier]);
    expect(await works(far)).toBe(40300);
  });

  it("is not asked to know a client that was only made", async () => {
    await world.client();
    world.advance(121);
    await world.sweep();
    await runInDurableObject(object(), (_, state) => expect([...state.storage.kv.list()]).toEqual([]));
  });
});

describe("KV that takes one write a second of a client", () => {
  beforeEach(() => {
    const written = new Map<string, number>();
    const put = async (key: string, value: string) => {
      if (world.now - (written.get(key) ?? Number.NEGATIVE_INFINITY) < 1000) {
        throw new Error("KV PUT failed: 429 Too Many Requests");
      }
      written.set(key, world.now);
      await env.CREDENTIALS.put(key, value);
    };
    const get = env.CREDENTIALS.get.bind(env.CREDENTIALS);
    world.deps = { ...world.deps, credentials: new CredentialStore({ put, get } as unknown as KVNamespace) };
  });

  it("fails no change that D1 has: a website is put, and its client's secrets rotated and rotated, in one second", async () => {
    expect((await world.operator("PUT", "/websites/brand", { helpText: "Call us" })).status).toBe(200);
    const first = await rotate({});
    const second = await rotate({ graceSeconds: 0 });
    expect([first, second]).toMatchObject([
      { status: 200, takesEffect: "at-once" },
      { status: 200, takesEffect: "at-once" },
    ]);
    expect(await works(world, String(second.clientSecret))).toBe(200);
    world.advance(60);
    await world.sweep();
    const elsewhere = await World.another(world);
    expect(await works(elsewhere, String(second.clientSecret))).toBe(200);
    expect(await works(elsewhere, String(first.clientSecret))).toBe(40101);
  });

  it("makes a client that works where it was made, and elsewhere after the next sweep", async () => {
    const put = () => Promise.reject(new Error("KV PUT failed: 429 Too Many Requests"));
    const { deps } = world;
    world.deps = {
      ...deps,
      credentials: new CredentialStore({ put, get: async () => null } as unknown as KVNamespace),
    };
    client = await world.client();
    expect(await works(world)).toBe(200);
    world.deps = deps;
    await world.sweep();
    expect(await works(await World.another(world))).toBe(200);
  });
});

describe("a write that takes effect late, after its call was given up", () => {
  it("does not undo a later suspension", async () => {
    await patch({ suspended: true });
    const late = lateDatabase(world.deps.db, /^UPDATE clients/);
    const { db } = world.deps;
    world.deps = { ...world.deps, db: late.db };
    expect((await patch({ suspended: false })).status).toBe(503);
    world.deps = { ...world.deps, db };
    world.advance(1);
    await patch({ suspended: false });
    world.advance(1);
    await patch({ suspended: true });
    await late.commit();
    expect(await world.rows("SELECT suspended FROM clients")).toEqual([{ suspended: 1 }]);
  });

  it("does not replace the secrets of a later rotation", async () => {
    const late = lateDatabase(world.deps.db, /^UPDATE clients/);
    const { db } = world.deps;
    world.deps = { ...world.deps, db: late.db };
    expect((await rotate({})).status).toBe(503);
    world.deps = { ...world.deps, db };
    const { clientSecret } = await rotate({});
    await late.commit();
    world.advance(121);
    await world.sweep();
    expect(await works(await World.another(world), String(clientSecret))).toBe(200);
  });
});
