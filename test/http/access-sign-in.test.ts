/** Sign-in by Cloudflare Access: who has a valid token of Access is their operator, and any other token signs nobody in. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConsoleSessionAnswer } from "../../src/domain/operations/session.ts";
import { newToken, OF_THE_CONSOLE, postSession, signIn } from "../console.ts";
import { World } from "../world.ts";

const ISSUER = "https://brand.cloudflareaccess.com";
const AUDIENCE = "a".repeat(64);
const EMAIL = "ada@example.com";
const ALGORITHM = {
  ...{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048 },
  publicExponent: new Uint8Array([1, 0, 1]),
};

const makeKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
const [OURS, OTHERS] = await Promise.all([makeKeys(), makeKeys()]);

const part = (value: object | Uint8Array) =>
  (value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value))).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });

let world: World;
let certificates: () => Promise<Response>;
let asked: string[];

beforeEach(async () => {
  world = await World.create();
  world.deps = { ...world.deps, config: { ...world.deps.config, access: { issuer: ISSUER, audience: AUDIENCE } } };
  const jwk = (await crypto.subtle.exportKey("jwk", OURS.publicKey)) as JsonWebKey;
  certificates = async () => Response.json({ keys: [{ ...jwk, kid: "k1", use: "sig" }], public_certs: [] });
  asked = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    asked.push(String(url));
    return certificates();
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

interface Written {
  claims?: object;
  header?: object;
  keys?: CryptoKeyPair;
}

/** A token as Access makes it, with what is other in it. */
async function jwtOf({ claims = {}, header = {}, keys = OURS }: Written = {}): Promise<string> {
  const now = Math.floor(world.now / 1000);
  const usual = {
    iss: ISSUER,
    aud: [AUDIENCE],
    email: EMAIL,
    iat: now,
    nbf: now,
    exp: now + 3600,
    sub: "x",
    type: "app",
  };
  const signed = `${part({ alg: "RS256", kid: "k1", typ: "JWT", ...header })}.${part({ ...usual, ...claims })}`;
  const signature = await crypto.subtle.sign(ALGORITHM.name, keys.privateKey, new TextEncoder().encode(signed));
  return `${signed}.${part(new Uint8Array(signature))}`;
}

async function look(jwt: string | undefined, headers: Record<string, string> = {}) {
  const answer = await world.fetch("/console/session", {
    headers: { ...OF_THE_CONSOLE, ...headers, ...(jwt !== undefined && { "Cf-Access-Jwt-Assertion": jwt }) },
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  return { status: answer.status, cookie, ...((await answer.json()) as ConsoleSessionAnswer) };
}

const refusals = () => world.logs.filter((line) => line.includes("access.refused"));

describe("who has signed in to Access", () => {
  it("is signed in as the operator of the address, with its role, and the audit log has the address", async () => {
    await newToken(world, EMAIL, "viewer");
    const { session, cookie, access } = await look(await jwtOf({ claims: { email: "Ada@Example.com" } }));
    expect(session).toMatchObject({ operator: EMAIL, role: "viewer" });
    expect(access).toBeUndefined();
    const read = (path: string, method = "GET") =>
      world.fetch(path, { method, headers: { ...OF_THE_CONSOLE, cookie: cookie ?? "" } });
    expect((await read("/operator/websites")).status).toBe(200);
    expect((await read("/operator/messages?format=csv")).status).toBe(403);
    expect(await world.rows("SELECT operator, outcome FROM audit_log WHERE action = 'sign-in'")).toEqual([
      { operator: EMAIL, outcome: "done" },
    ]);
    const { entries } = (await (await read("/operator/audit")).json()) as { entries: { operator: string }[] };
    expect(entries[0]?.operator).toBe(EMAIL);
    expect(asked).toEqual([`${ISSUER}/cdn-cgi/access/certs`]);
    expect(refusals()).toEqual([]);
  });

  it("keeps their session, and the keys are read once", async () => {
    await newToken(world, EMAIL);
    const { cookie = "" } = await look(await jwtOf());
    world.advance(600);
    const again = await look(await jwtOf(), { cookie });
    expect([again.session?.operator, again.cookie]).toEqual([EMAIL, undefined]);
    expect(asked).toHaveLength(1);
  });

  it("is no operator without a token of that name: nothing else is shown, and nobody is signed in", async () => {
    await newToken(world, "bob@example.com");
    const { session, access, cookie } = await look(await jwtOf());
    expect([session, cookie, access]).toEqual([null, undefined, { email: EMAIL, fault: "operator-unknown" }]);
    expect(await world.rows("SELECT 1 FROM operator_sessions")).toEqual([]);
  });

  it("is not whoever has used the browser before", async () => {
    await newToken(world, EMAIL, "viewer");
    const before = await signIn(world, "bob");
    expect((await look(await jwtOf(), before)).session).toMatchObject({ operator: EMAIL, role: "viewer" });
    await world.operator("DELETE", `/tokens/${encodeURIComponent(EMAIL)}`);
    expect((await look(await jwtOf(), before)).session).toBeNull();
  });

  it("is let in no more once their token is ended", async () => {
    await newToken(world, EMAIL);
    const { cookie = "" } = await look(await jwtOf());
    expect((await world.operator("DELETE", `/tokens/${encodeURIComponent(EMAIL)}`)).status).toBe(200);
    expect((await world.fetch("/operator/websites", { headers: { cookie } })).status).toBe(401);
    expect((await look(await jwtOf(), { cookie })).access?.fault).toBe("operator-unknown");
  });

  it("is signed in by no page of another origin", async () => {
    await newToken(world, EMAIL);
    const answer = await world.fetch("/console/session", {
      headers: { "sec-fetch-site": "cross-site", "Cf-Access-Jwt-Assertion": await jwtOf() },
    });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([403, null]);
  });
});

describe("a token of Access that is not valid", () => {
  const REFUSED: [name: string, make: () => Promise<string>, cause: string][] = [
    ["has ended", () => jwtOf({ claims: { exp: world.now / 1000 } }), "expired"],
    ["begins later", () => jwtOf({ claims: { nbf: world.now / 1000 + 61 } }), "not-yet-valid"],
    ["is for another application", () => jwtOf({ claims: { aud: ["b".repeat(64)] } }), "audience-wrong"],
    ["is for none", () => jwtOf({ claims: { aud: [] } }), "audience-wrong"],
    ["is of another team", () => jwtOf({ claims: { iss: "https://other.cloudflareaccess.com" } }), "issuer-wrong"],
    ["is signed by another key", () => jwtOf({ keys: OTHERS }), "signature-wrong"],
    ["names a key that the team has not", () => jwtOf({ header: { kid: "k2" } }), "key-unknown"],
    ["is not signed", async () => (await jwtOf({ header: { alg: "none" } })).replace(/[^.]+$/, ""), "malformed"],
    ["is signed with the public key as a secret", () => jwtOf({ header: { alg: "HS256" } }), "malformed"],
    ["is a service's", () => jwtOf({ claims: { email: undefined, common_name: "bot" } }), "without-email"],
    ["has no end", () => jwtOf({ claims: { exp: undefined } }), "malformed"],
    ["is changed", async () => swapClaims(await jwtOf(), { email: "eve@example.com" }), "signature-wrong"],
    ["is none", async () => "a.b.c", "malformed"],
    ["has a part too many", async () => `${await jwtOf()}.x`, "malformed"],
  ];

  function swapClaims(jwt: string, claims: object): string {
    const [header, own = "", signature] = jwt.split(".");
    const given = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(own, { alphabet: "base64url" })));
    return [header, part({ ...given, ...claims }), signature].join(".");
  }

  it.each(REFUSED)("signs nobody in: it %s", async (_, make, cause) => {
    for (const name of [EMAIL, "eve@example.com"]) await newToken(world, name);
    const { status, session, access, cookie } = await look(await make());
    expect([status, session, cookie]).toEqual([200, null, undefined]);
    expect(access).toEqual({ email: null, fault: "token-refused" });
    expect(refusals().map((line) => JSON.parse(line).cause)).toEqual([cause]);
    expect(await world.rows("SELECT 1 FROM operator_sessions")).toEqual([]);
  });

  it("leaves a session by a token alone, and the form for tokens", async () => {
    const bob = await signIn(world, "bob");
    expect((await look("a.b.c", bob)).session).toMatchObject({ operator: "bob" });
    expect((await postSession(world, await newToken(world, "cleo"))).status).toBe(204);
  });
});

describe("the keys of the team", () => {
  it.each([
    ["do not answer", async () => Promise.reject(new Error("connection refused"))],
    ["answer an error", async () => new Response("down", { status: 502 })],
    ["are a redirect", async () => Response.redirect("https://evil.example.com/keys")],
    ["are no keys", async () => new Response("<html>")],
  ])("say nothing of anybody where they %s, and are asked again later", async (_, answer) => {
    await newToken(world, EMAIL);
    const works = certificates;
    certificates = answer;
    expect((await look(await jwtOf())).access).toEqual({ email: null, fault: "keys-unavailable" });
    certificates = works;
    expect((await look(await jwtOf())).access?.fault).toBe("keys-unavailable");
    expect(asked).toHaveLength(1);
    world.advance(30);
    expect((await look(await jwtOf())).session?.operator).toBe(EMAIL);
  });

  it("that are known last while Access is away", async () => {
    await newToken(world, EMAIL);
    await look(await jwtOf());
    certificates = async () => new Response("down", { status: 502 });
    world.advance(2 * 3600);
    expect((await look(await jwtOf())).session?.operator).toBe(EMAIL);
    expect(asked).toHaveLength(2);
  });

  it("are read anew for a key that is not known, and no more often than each half minute", async () => {
    await newToken(world, EMAIL);
    await look(await jwtOf());
    world.advance(60);
    const jwk = (await crypto.subtle.exportKey("jwk", OTHERS.publicKey)) as JsonWebKey;
    certificates = async () => Response.json({ keys: [{ ...jwk, kid: "k2" }] });
    expect((await look(await jwtOf({ header: { kid: "k2" }, keys: OTHERS }))).session?.operator).toBe(EMAIL);
    for (let n = 0; n < 5; n++) await look(await jwtOf({ header: { kid: `forged-${n}` } }));
    expect(asked).toHaveLength(2);
    expect((await look(await jwtOf())).access?.fault).toBe("token-refused");
  });
});

describe("without the settings", () => {
  it("a token of Access is not looked at", async () => {
    world.deps = { ...world.deps, config: { ...world.deps.config, access: undefined } };
    await newToken(world, EMAIL);
    expect(await look(await jwtOf())).toEqual({ status: 200, cookie: undefined, session: null });
    expect(asked).toEqual([]);
  });
});
