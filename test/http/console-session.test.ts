import { beforeEach, describe, expect, it } from "vitest";
import type { ConsoleSessionAnswer } from "../../src/domain/operations/session.ts";
import { Guesses } from "../../src/platform/guesses.ts";
import { sha256Hex } from "../../src/platform/secrets.ts";
import { newToken, OF_THE_CONSOLE, postSession, signIn } from "../console.ts";
import { countingDatabase } from "../counting-database.ts";
import { dumpStores } from "../stores.ts";
import { OPERATOR_TOKEN, World } from "../world.ts";

const HOUR = 3600;

let world: World;

beforeEach(async () => {
  world = await World.create();
});

const get = async (headers: Record<string, string>) =>
  ((await (await world.fetch("/console/session", { headers })).json()) as ConsoleSessionAnswer).session;
const look = async (headers: Record<string, string>, of = world) =>
  (await of.fetch("/operator/websites", { headers })).status;
const signOut = (headers: Record<string, string>) =>
  world.fetch("/console/session", { method: "DELETE", headers: { ...OF_THE_CONSOLE, ...headers } });

describe("signing in", () => {
  it("sets a cookie that only this origin gets, over https, and no script", async () => {
    const answer = await postSession(world, await newToken(world, "ada"));
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-session=s_[0-9a-f]{64}; Path=\/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  it("opens the operator's calls in its name, for 12 hours to the second", async () => {
    const browser = await signIn(world, "ada");
    const expiresAt = new Date(world.now + 12 * HOUR * 1000).toISOString();
    expect(await get(browser)).toEqual({ operator: "ada", role: "operator", expiresAt });
    const put = await world.fetch("/operator/websites/brand", {
      method: "PUT",
      headers: { ...browser, ...OF_THE_CONSOLE, "content-type": "application/json" },
      body: JSON.stringify({ name: "Brand", carrier: "sandbox" }),
    });
    expect(put.status).toBe(200);
    const [entry] = await world.rows("SELECT operator FROM audit_log WHERE action = 'put-website'");
    expect(entry).toEqual({ operator: "ada" });
    world.advance(12 * HOUR - 1);
    expect(await look(browser)).toBe(200);
    world.advance(1);
    expect([await look(browser), await get(browser)]).toEqual([401, null]);
  });

  it("takes neither OPERATOR_TOKEN, nor a token that has ended, nor anything else", async () => {
    const ended = await newToken(world, "bob");
    await world.operator("DELETE", "/tokens/bob");
    for (const token of [OPERATOR_TOKEN, ended, "", `op_${"0".repeat(64)}`]) {
      const answer = await postSession(world, token);
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null]);
    }
    expect((await postSession(world, 7)).status).toBe(400);
    expect(await world.rows("SELECT 1 FROM operator_sessions")).toEqual([]);
  });

  it("is no page's of another site: nobody is signed in under another's name", async () => {
    const token = await newToken(world, "ada");
    for (const headers of [{}, { "x-console": "1" }, { ...OF_THE_CONSOLE, "sec-fetch-site": "same-site" }]) {
      const answer = await postSession(world, token, headers);
      expect([answer.status, await answer.json()]).toMatchObject([403, { code: 40303 }]);
    }
  });

  it("is stored as a hash, and is in no log; the audit log says that somebody has signed in", async () => {
    const { cookie } = await signIn(world, "ada");
    await look({ cookie });
    const secret = cookie.replace("__Host-session=", "");
    const stores = await dumpStores(world);
    expect(stores).toContain(await sha256Hex(secret));
    for (const text of [stores, world.logs.join()]) expect(text).not.toContain(secret.slice(2));
    const [entry] = await world.rows("SELECT operator, outcome FROM audit_log WHERE action = 'sign-in'");
    expect(entry).toEqual({ operator: "ada", outcome: "done" });
  });

  it("removes the rows of sessions that have ended", async () => {
    await signIn(world, "ada");
    world.advance(12 * HOUR);
    await signIn(world, "bob");
    expect(await world.rows("SELECT 1 FROM operator_sessions")).toHaveLength(1);
  });

  it("is limited, as guesses at tokens are, and so are guesses at cookies", async () => {
    const token = await newToken(world, "ada");
    const browser = await signIn(world, "bob");
    await world.operator("DELETE", "/tokens/ada");
    await world.operator("DELETE", "/tokens/bob");
    const limited = new Guesses("operator", { limit: async () => ({ success: false }) });
    world.deps = { ...world.deps, guesses: { ...world.deps.guesses, operators: limited } };
    const third = await newToken(world, "cleo");
    expect((await postSession(world, token)).status).toBe(401);
    const answer = await postSession(world, third);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(await look(browser)).toBe(429);
    world.advance(10);
    expect((await postSession(world, third)).status).toBe(204);
    expect([await look(browser), (await postSession(world, third)).status]).toEqual([401, 429]);
  });

  it("is not there where the service has no operator", async () => {
    world.deps = { ...world.deps, config: { ...world.deps.config, operatorToken: undefined } };
    for (const method of ["GET", "POST", "DELETE", "PUT"]) {
      expect((await world.fetch("/console/session", { method, headers: OF_THE_CONSOLE })).status).toBe(404);
    }
  });
});

describe("a session", () => {
  it("ends when its operator signs out, on the server: a copy of the cookie opens nothing", async () => {
    const browser = await signIn(world, "ada");
    const other = await signIn(world, "bob", "viewer");
    const isolate = await World.another(world);
    const answer = await signOut(browser);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([
      204,
      "__Host-session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict",
    ]);
    expect([await look(browser), await look(browser, isolate), await get(browser)]).toEqual([401, 401, null]);
    expect((await signOut(browser)).status).toBe(204);
    expect([await look(other), (await signOut(other)).status, await look(other)]).toEqual([200, 204, 401]);
  });

  it("does not end by a page of another site", async () => {
    const browser = await signIn(world, "ada");
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "x-console": "" }]) {
      expect((await signOut({ ...browser, ...headers })).status).toBe(403);
    }
    expect(await look(browser)).toBe(200);
  });

  it("ends with its token: when that is ended, and when its grace is over", async () => {
    const first = await signIn(world, "ada");
    world.advance(1);
    await world.operator("POST", "/tokens", { name: "ada", graceSeconds: HOUR });
    expect((await get(first))?.expiresAt).toBe(new Date(world.now + HOUR * 1000).toISOString());
    world.advance(HOUR);
    expect(await look(first)).toBe(401);
    const second = await signIn(world, "bob");
    await world.operator("DELETE", "/tokens/bob");
    expect([await look(second), await get(second)]).toEqual([401, null]);
  });

  it("is nobody's with a cookie that is cut short, altered or a token, and a bearer token counts before a cookie", async () => {
    const { cookie } = await signIn(world, "ada");
    const token = await newToken(world, "bob");
    for (const wrong of [cookie.slice(0, -1), `${cookie}0`, cookie.replace(/.$/, "x"), `__Host-session=${token}`]) {
      expect([await look({ cookie: wrong }), await get({ cookie: wrong })]).toEqual([401, null]);
    }
    expect(await look({ cookie: `theme=dark; ${cookie}; x=y` })).toBe(200);
    expect(await look({ cookie: cookie.slice(0, -1), authorization: `Bearer ${token}` })).toBe(200);
    expect(await look({ cookie, authorization: "Bearer wrong" })).toBe(401);
    expect(await look({ cookie: cookie.replace("__Host-", "") })).toBe(401);
  });

  it("notes its use in steps of ten minutes: a look costs two rows read, and writes nothing in between", async () => {
    const browser = await signIn(world, "ada");
    const usedAt = async () => (await world.rows("SELECT used_at FROM operator_sessions"))[0]?.used_at;
    const began = world.now;
    const counted = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db: counted.db };
    world.advance(599);
    await world.operator("GET", "/audit?by=nobody");
    const { calls, rowsRead } = counted.take();
    await world.fetch("/operator/audit?by=nobody", { headers: browser });
    expect(counted.take()).toEqual({ calls: calls + 1, rowsRead: rowsRead + 2, rowsWritten: 0 });
    expect(await usedAt()).toBe(began);
    world.advance(1);
    expect(await look(browser)).toBe(200);
    expect(await usedAt()).toBe(world.now);
  });

  it("answers HEAD as GET, and so refuses it to pages of other origins", async () => {
    const browser = await signIn(world, "ada");
    const answer = await world.fetch("/operator/websites", { method: "HEAD", headers: browser });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    const foreign = { ...browser, "sec-fetch-site": "cross-site" };
    expect((await world.fetch("/operator/websites", { method: "HEAD", headers: foreign })).status).toBe(403);
  });
});
