import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { RateGate } from "../../src/platform/rate-limiter.ts";
import { objectsWithoutLimit } from "../objects.ts";
import { SEND, type TestClient, World } from "../world.ts";

let world: World;
let client: TestClient;

const SEND_PATH = "/text/message/send";
const BULK_PATH = "/text/bulk/message/send";
const LIST_PATHS = ["/text/subscription/status", "/text/subscribe", "/text/unsubscribe"];
const PATHS = [SEND_PATH, BULK_PATH, ...LIST_PATHS];

const nasty = fc.constantFrom<unknown>(
  "",
  null,
  0,
  -1,
  1e308,
  true,
  [],
  {},
  "\u0000",
  "\ud800",
  "__proto__",
  JSON.parse('{"__proto__":{"phone":"+12125550100"},"constructor":null}'),
  JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`),
  "+12125550100",
  "' OR 1=1 --",
  "$.x",
  "x".repeat(5000),
);
const value = fc.oneof(nasty, fc.string({ unit: "binary", maxLength: 30 }), fc.jsonValue({ maxDepth: 3 }));

/** A body with the right fields, some of them replaced by anything. */
const sendBody = fc
  .record(
    {
      phone: value,
      email: value,
      text: value,
      mediaUrl: value,
      clickUrl: value,
      callbackData: value,
      sendPurpose: value,
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({ ...SEND, phone: "+12125550100", ...fields }));
const listBody = fc.record(
  {
    phone_numbers: fc.oneof(value, fc.array(value, { maxLength: 10 })),
    csv_file: fc.oneof(
      value,
      fc.base64String({ maxLength: 200 }),
      fc.string({ maxLength: 80 }).map((text) => new TextEncoder().encode(`phone_numbers\n${text}`).toBase64()),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => bytes.toBase64()),
    ),
    sendPurpose: fc.oneof(value, fc.constant("spring")),
  },
  { requiredKeys: [] },
);

async function expectNoFault(answer: Response): Promise<void> {
  expect(answer.status).toBeLessThan(500);
  const body = await answer.text();
  // A link is followed by people: what it answers is a page. world.ts holds it to the document, as all else.
  if (answer.headers.get("content-type")?.startsWith("text/html")) return;
  expect(() => JSON.parse(body)).not.toThrow();
}

/** Each file of tests calls it once. @param runs how many inputs each test draws */
export function describeFuzz(runs: number): void {
  beforeAll(async () => {
    world = await World.create();
    client = await world.brand(["+12125550100,ada@example.com"]);
    // The limit has its own tests: here it would hide the rest.
    world.deps = { ...world.deps, limiter: new RateGate(objectsWithoutLimit(() => world.deps)) };
  });

  describe("free input never gives a fault", () => {
    it("in fields", async () => {
      await fc.assert(
        fc.asyncProperty(sendBody, listBody, async (send, list) => {
          await expectNoFault(await world.post(SEND_PATH, client, send));
          await expectNoFault(await world.post(BULK_PATH, client, { ...list, messages: [send, SEND, list] }));
          for (const path of LIST_PATHS) await expectNoFault(await world.post(path, client, list));
        }),
        { numRuns: runs },
      );
    });

    it("in whole bodies", async () => {
      const body = fc.oneof(
        fc.uint8Array({ maxLength: 100 }),
        fc.json().map((text) => new TextEncoder().encode(text)),
      );
      const headers = {
        "x-client-id": client.clientId,
        "x-client-secret": client.clientSecret,
        "content-type": "application/json",
      };
      await fc.assert(
        fc.asyncProperty(body, fc.constantFrom(...PATHS), async (bytes, path) => {
          await expectNoFault(await world.fetch(path, { method: "POST", headers, body: bytes }));
        }),
        { numRuns: runs },
      );
    });

    it("in headers, paths and methods", async () => {
      const headerValue = fc.string({
        unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
        maxLength: 80,
      });
      const header = fc.constantFrom(
        "x-client-id",
        "x-client-secret",
        "content-type",
        "content-length",
        "idempotency-key",
        "authorization",
      );
      const path = fc.oneof(
        fc.constantFrom(
          ...PATHS,
          "/l/aB3dE5fG7h",
          "/carriers/sandbox/receipts",
          "/carriers/__proto__/inbound",
          "/operator/websites",
          "/operator/messages/%00",
          "/operator/websites/%E0%A4%A",
          "//",
          "/%",
        ),
        fc.webPath(),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(header, headerValue),
          path,
          fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE"),
          async (headers, at, method) => {
            const right = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
            const init = { method, headers: { ...right, ...headers }, ...(method === "GET" ? {} : { body: "{}" }) };
            await expectNoFault(await world.fetch(at, init));
          },
        ),
        { numRuns: runs },
      );
    });

    it("in an operator's file and settings", async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: "binary", maxLength: 100 }), value, async (csv, settings) => {
          await expectNoFault(
            await world.operator(
              "POST",
              "/websites/brand/subscribers",
              `phone_numbers,email,subscribed\n${csv}`,
              "text/csv",
            ),
          );
          await expectNoFault(
            await world.operator("PUT", "/websites/fuzzed", { name: settings, sender: settings, helpText: settings }),
          );
          await expectNoFault(
            await world.operator("POST", "/websites/brand/clients", { callbackUrl: settings, operations: settings }),
          );
        }),
        { numRuns: runs },
      );
    });
  });
}
