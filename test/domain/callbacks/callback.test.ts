import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { signatureHeaders } from "../../../src/domain/callbacks/callback.ts";

const secret = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => bytes.toBase64());
const text = fc.string({ unit: "binary", maxLength: 300 });

it("is signed as the library of Standard Webhooks signs it, whatever the body and the secrets are", () => {
  const now = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
  fc.assert(
    fc.property(fc.uuid(), text, fc.array(secret, { minLength: 1, maxLength: 2 }), now, (id, body, secrets, at) => {
      const expected = secrets.map((one) => new Webhook(one).sign(id, new Date(at), body));
      const { "webhook-signature": signature = "" } = signatureHeaders(id, body, secrets, at);
      expect(signature.split(" ")).toEqual(expected);
      const prefixed = secrets.map((one) => `whsec_${one}`);
      expect(signatureHeaders(id, body, prefixed, at)["webhook-signature"]).toBe(signature);
    }),
  );
});

it.each(["whsec_no base64!", "whsec_*"])("is not signed with %j", (wrong) => {
  expect(() => signatureHeaders("id", "{}", [wrong], 0)).toThrow();
});
