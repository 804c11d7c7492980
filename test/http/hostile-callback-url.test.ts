import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { validateCallbackUrl } from "../../src/domain/callbacks/callback-url.ts";
import { World } from "../world.ts";

/** A part of an address, as C's inet_aton takes it. */
const WAYS: ((part: number) => string)[] = [
  (part) => String(part),
  (part) => `0${part.toString(8)}`,
  (part) => `0x${part.toString(16)}`,
  (part) => `0X00${part.toString(16).toUpperCase()}`,
];

/** How a URL may write one character of its host. */
const LETTERS: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll(".", "。"),
  (text) => text.replaceAll(".", "．"),
  (text) => text.replaceAll(".", "｡"),
  (text) => text.replaceAll(".", "%2E"),
  (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (text) => text.replaceAll(/\d/g, (digit) => `%3${digit}`),
  (text) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit))),
  (text) => `${text}.`,
];

/** An IPv4 address in one to four parts, each in any base, its last part taking the rest. */
const written4 = fc
  .tuple(
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.constantFrom(...WAYS), { minLength: 4, maxLength: 4 }),
    fc.constantFrom(...LETTERS),
  )
  .map(([ip, count, ways, letter]) => {
    const bytes = [24, 16, 8, 0].map((shift) => (ip >>> shift) & 255);
    const parts = [...bytes.slice(0, count - 1), ip % 256 ** (5 - count)];
    return letter(parts.map((part, index) => (ways[index] ?? String)(part)).join("."));
  });

const toHost6 = (ip: bigint) =>
  Array.from({ length: 8 }, (_, group) => ((ip >> BigInt(112 - group * 16)) & 0xffffn).toString(16)).join(":");

const NO_ADDRESS = "must name a host: Cloudflare sends no request to an IP address";

describe("an address in a callback URL", () => {
  it("of IPv4 is refused, however it is written", () => {
    fc.assert(
      fc.property(written4, (host) => {
        expect([host, validateCallbackUrl(`https://${host}/`, false)]).toEqual([host, NO_ADDRESS]);
      }),
      { numRuns: 1000 },
    );
  });

  it("of IPv6 is refused, however it is written", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV6(), fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(toHost6)), (host) => {
        expect([host, validateCallbackUrl(`https://[${host}]/`, false)]).toEqual([host, NO_ADDRESS]);
      }),
      { numRuns: 1000 },
    );
  });

  it("that wraps one of IPv4 is refused, whichever it wraps", () => {
    const wrappings: ((ip: string, hex: string) => string)[] = [
      (ip) => `[::ffff:${ip}]`,
      (ip) => `[::${ip}]`,
      (ip) => `[::ffff:0:${ip}]`,
      (ip) => `[64:ff9b::${ip}]`,
      (ip) => `[64:ff9b:1::${ip}]`,
      (_, hex) => `[2002:${hex}::1]`,
      (_, hex) => `[2001:0:4136:e378:8000:63bf:${hex}]`,
    ];
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...wrappings), (ip, wrap) => {
        const bytes = ip.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
        const url = `https://${wrap(ip, `${bytes[0]}${bytes[1]}:${bytes[2]}${bytes[3]}`)}/`;
        expect([url, validateCallbackUrl(url, false)]).toEqual([url, NO_ADDRESS]);
      }),
    );
  });
});

describe("a callback URL", () => {
  it.each([
    "https://localhost../",
    "https://127.0.0.1../",
    "https://a.b.LOCALHOST./",
    "https://ｌｏｃａｌｈｏｓｔ/",
    "https://l%6fcalhost/",
    "https://db.localdomain/",
    "https://service.namespace.svc.cluster.local/",
    "https://vault.corp/",
    "https://metadata/",
    "https://metadata.google.internal./",
    "https://instance-data.ec2.internal/",
    "https://example.com@10.0.0.1/",
    "https://user@example.com/",
    "https://@example.com/",
    "https://example.com\\@10.0.0.1/",
    "https://10.0.0.1\\.example.com/",
    "https://10.0.0.1#.example.com/",
    "https://10.0.0.1?.example.com/",
    "https://exam\nple.com/",
    " https://example.com/",
    "https:example.com/",
    "https:///10.0.0.1/",
    "//10.0.0.1/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:70/",
    "javascript:alert(1)",
    "https://example.com:99999/",
  ])("may not be %j", (url) => {
    expect(validateCallbackUrl(url, false)).toMatch(/^must /);
  });

  it("may not be local by a name that only begins like loopback, even where the service runs on loopback", () => {
    for (const url of ["http://127.example.com/", "http://127.0.0.1.example.com/", "http://localhost.example.com/"]) {
      expect(validateCallbackUrl(url, true)).toBe("must be an https URL");
    }
    for (const url of ["http://127.9.9.9:1/", "http://localhost./", "http://[0:0::1]/", "http://0x7f.1/"]) {
      expect(validateCallbackUrl(url, true)).toBeUndefined();
    }
  });
});

describe("the callback of a message", () => {
  let world: World;
  let posted: string[];

  beforeEach(async () => {
    world = await World.create();
    posted = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      posted.push(String(input));
      return new Response(null, { status: 307, headers: { location: "http://169.254.169.254/" } });
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    "http://10.0.0.1/",
    "https://[fd00::1]/",
    "https://localhost../",
    "http://example.com/",
    "https://user:secret@example.com/",
    "https://[64:ff9b:1::808:808]/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
  ])("is not posted to %s, which an earlier rule may have let in, and the operator is told why", async (url) => {
    const client = await world.brand([]);
    await world.rows("UPDATE clients SET callback_url = ?1", url);
    const messageId = await world.send(client, { phone: "+12125550177" });
    await world.runQueues();
    expect(posted).toEqual([]);
    const seen = (await (await world.operator("GET", `/messages/${messageId}`)).json()) as { callbacks: object[] };
    expect(seen.callbacks).toMatchObject([
      { outcome: "not-posted", httpStatus: null, response: expect.stringMatching(/^the callback URL must /) },
    ]);
  });

  it("goes to the URL itself and not to where that redirects", async () => {
    const client = await world.brand([]);
    await world.send(client, { phone: "+12125550177" });
    await world.runQueues();
    expect(posted).toEqual(["https://brand.example.com/callbacks"]);
  });

  it("cannot be led inside by the operator's call, and what was set before stays", async () => {
    const { clientId } = await world.brand([]);
    for (const callbackUrl of [
      "https://10.1.2.3/",
      "https://169。254。169。254/",
      "https://2852039166/",
      "https://8.8.8.8/",
      "https://[2606:4700::1111]/",
      "ftp://example.com/",
    ]) {
      const answer = await world.operator("PATCH", `/clients/${clientId}`, { callbackUrl });
      expect(await answer.json()).toMatchObject({ code: 40001, details: [{ field: "callbackUrl" }] });
      const made = await world.operator("POST", "/websites/brand/clients", { callbackUrl });
      expect(made.status).toBe(400);
    }
    const urls = await world.rows("SELECT callback_url FROM clients");
    expect(urls).toEqual([{ callback_url: "https://brand.example.com/callbacks" }]);
  });
});
