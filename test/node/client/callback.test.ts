// The client's check of signatures, beside another: the library of Standard Webhooks signs.
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, test } from "vitest";
import { type CallbackHeaders, SignatureError, verifyCallback } from "../../../client/index.js";

const NOW = 1_795_262_400_000;
const SECRET = "whsec_dGV4dGdhdGUtZXhhbXBsZS1zZWNyZXQh";
const OTHER_SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const BODY = '{"eventId":"m1_DELIVERED","messageId":"m1","status":"DELIVERED"}';

function sign(body = BODY, { secret = SECRET, at = NOW, id = "m1_DELIVERED" } = {}) {
  const signature = new Webhook(secret).sign(id, new Date(at), body);
  return { "webhook-id": id, "webhook-timestamp": `${Math.floor(at / 1000)}`, "webhook-signature": signature };
}

const verify = (headers: Record<string, string | string[] | undefined>, body: string | Uint8Array = BODY) =>
  verifyCallback({ secret: SECRET, headers, body, now: NOW });

describe("a callback", () => {
  it("is read: the example of docs/api.md", async () => {
    const headers = {
      "webhook-id": "m1_DELIVERED",
      "webhook-timestamp": "1795262400",
      "webhook-signature": "v1,N+2QMtm53Nh4BpHl4SAeDSRNddabmgQv9sKOM63I8Mc=",
    };
    expect(await verify(headers)).toEqual(JSON.parse(BODY));
    expect(
      await verifyCallback({ secret: SECRET, headers: new Headers(headers), body: Buffer.from(BODY), now: NOW }),
    ).toEqual(JSON.parse(BODY));
  });

  test("of any text is read, as a string and as bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ stringUnit: "grapheme" }), async (body) => {
        expect(await verify(sign(body), body)).toEqual(JSON.parse(body));
        expect(await verify(sign(body), new TextEncoder().encode(body))).toEqual(JSON.parse(body));
      }),
    );
  });

  describe("is read with headers", () => {
    const right = sign();
    const entries = Object.entries(right);
    const named = (rename: (name: string) => string) => entries.map(([name, value]) => [rename(name), value] as const);
    const title = (name: string) => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

    /** As classes of headers are that are not the global one: undici's and node-fetch's. */
    class OtherHeaders {
      readonly #values = new Map<string, string>(entries);
      get(name: string): string | null {
        return this.#values.get(name.toLowerCase()) ?? null;
      }
    }

    it.each<[string, CallbackHeaders]>([
      ["of the platform", new Headers(right)],
      ["of another library", new OtherHeaders()],
      ["in lower case, as Node has them", right],
      ["as a REST API of AWS Lambda has them", Object.fromEntries(named(title))],
      ["in upper case", Object.fromEntries(named((name) => name.toUpperCase()))],
      ["in lists", Object.fromEntries(entries.map(([name, value]) => [name, [value]]))],
      ["in lists of its own case", Object.fromEntries(named(title).map(([name, value]) => [name, [value]]))],
      ["without a prototype", Object.assign(Object.create(null), right)],
      ["in a Map", new Map(entries)],
      ["in a Map in another case", new Map(named(title))],
      ["in a Map of lists", new Map(entries.map(([name, value]) => [name, [value]]))],
      ["beside undefined ones", { ...right, "x-other": undefined, get: undefined }],
      ["beside one that is named get", { ...right, get: "x" }],
    ])("%s", async (_, headers) => {
      expect(await verifyCallback({ secret: SECRET, headers, body: BODY, now: NOW })).toEqual(JSON.parse(BODY));
    });

    it.each<[string, unknown]>([
      ["none", {}],
      ["an empty Map", new Map()],
      ["empty lists", { ...right, "webhook-id": [] }],
      ["nothing", undefined],
    ])("and not with %s", async (_, headers) => {
      const verified = verifyCallback({ secret: SECRET, headers: headers as CallbackHeaders, body: BODY, now: NOW });
      await expect(verified).rejects.toThrow("the header webhook-id is missing");
    });
  });

  it("is read with one right signature of two, while the secret is being replaced", async () => {
    const [right, wrong] = [sign()["webhook-signature"], sign(BODY, { secret: OTHER_SECRET })["webhook-signature"]];
    for (const both of [`${wrong} ${right}`, `${right} ${wrong}`, `v2,x ${right}`]) {
      expect(await verify({ ...sign(), "webhook-signature": both })).toEqual(JSON.parse(BODY));
    }
  });

  it.each([
    ["5 minutes early", 300, true],
    ["5 minutes late", -300, true],
    ["5 minutes and a second early", 301, false],
    ["5 minutes and a second late", -301, false],
  ])("%s", async (_, seconds, isTaken) => {
    const verified = verify(sign(BODY, { at: NOW + seconds * 1000 }));
    await (isTaken ? expect(verified).resolves.toBeDefined() : expect(verified).rejects.toThrow(SignatureError));
  });

  it("may be tried with another tolerance", async () => {
    const callback = { secret: SECRET, headers: sign(BODY, { at: NOW - 3_600_000 }), body: BODY, now: NOW };
    await expect(verifyCallback({ ...callback, toleranceSeconds: 3600 })).resolves.toBeDefined();
    await expect(verifyCallback({ ...callback, toleranceSeconds: 3599 })).rejects.toThrow(SignatureError);
    const now = Date.now();
    await expect(
      verifyCallback({ secret: SECRET, headers: sign(BODY, { at: now }), body: BODY }),
    ).resolves.toBeDefined();
  });
});

describe("is refused", () => {
  const right = sign();
  const signature = right["webhook-signature"];
  const badly = (headers: Record<string, string | string[] | undefined>) => ({ ...right, ...headers });

  it.each([
    ["forged", sign(BODY, { secret: OTHER_SECRET })],
    ["another id", badly({ "webhook-id": "m2_DELIVERED" })],
    ["another time", badly({ "webhook-timestamp": "1795262401" })],
    ["a time that is none", badly({ "webhook-timestamp": "NaN" })],
    ["a time in another form", badly({ "webhook-timestamp": "1.7952624e9" })],
    ["another version", badly({ "webhook-signature": signature.replace("v1,", "v2,") })],
    ["no version", badly({ "webhook-signature": signature.replace("v1,", "") })],
    ["cut off", badly({ "webhook-signature": signature.slice(0, -4) })],
    ["no Base64", badly({ "webhook-signature": "v1,!!!!" })],
    ["an empty signature", badly({ "webhook-signature": "v1," })],
    ["two headers in one", badly({ "webhook-signature": [signature, signature] })],
    ["no signature", badly({ "webhook-signature": undefined })],
    ["no id", badly({ "webhook-id": "" })],
    ["no header", {}],
  ])("%s", async (_, headers) => {
    await expect(verify(headers)).rejects.toThrow(SignatureError);
  });

  /** Signed: the id, the time and the body, each with its bounds. */
  test("a signature of other parts with the same join", async () => {
    const headers = sign("2.b", { id: "a" });
    await expect(verify({ ...headers, "webhook-id": "a.1795262400" }, "b")).rejects.toThrow(SignatureError);
  });

  test("any body but the one that was signed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(BODY.length - 1), fc.integer({ min: 1, max: 127 }), async (place, flip) => {
        const bytes = Buffer.from(BODY);
        bytes[place] = (bytes[place] ?? 0) ^ flip;
        await expect(verify(sign(), bytes)).rejects.toThrow(SignatureError);
      }),
    );
  });

  test("any signature but the right one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.base64String().map((it) => `v1,${it}`),
        ),
        async (given) => {
          await expect(verify(badly({ "webhook-signature": given || " " }))).rejects.toThrow(SignatureError);
        },
      ),
    );
  });

  it.each(["", "whsec_", "whsec_!!", "dGV4dGdhdGU=", undefined])(
    "by nobody where the secret is none: %j",
    async (secret) => {
      await expect(verifyCallback({ secret: secret as string, headers: right, body: BODY })).rejects.toThrow(TypeError);
    },
  );

  it("by nobody where the body is parsed already", async () => {
    await expect(verify(right, JSON.parse(BODY))).rejects.toThrow("raw body");
  });
});
