import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Hmac } from "../../src/platform/hmac.ts";
import { hmacHex } from "../../src/platform/secrets.ts";

describe("the HMAC of tombstones", () => {
  it("is HMAC-SHA-256, for keys and texts of any length, one after another", async () => {
    const key = fc.string({ unit: "binary", minLength: 1, maxLength: 150 }).map((text) => text.toWellFormed());
    const texts = fc.array(fc.string({ unit: fc.constantFrom(..."erased +0189-z"), maxLength: 200 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(key, texts, async (secret, given) => {
        const hmac = new Hmac(secret);
        for (const text of given) expect(hmac.sign(text).toHex()).toBe(await hmacHex(secret, text));
      }),
      { numRuns: 500 },
    );
  });

  it.each([54, 55, 56, 63, 64, 65, 119, 120, 128])("pads a text and a key of %i bytes as it should", async (length) => {
    const [secret, text] = ["k".repeat(length), "t".repeat(length)];
    expect(new Hmac(secret).sign(text).toHex()).toBe(await hmacHex(secret, text));
  });
});
