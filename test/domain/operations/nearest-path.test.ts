import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearestPath } from "../../../src/domain/operations/nearest-path.ts";

const KNOWN = [
  "/text/message/send",
  "/text/bulk/message/send",
  "/text/message/status",
  "/text/message/statuses",
  "/text/events",
  "/text/subscribe",
  "/text/unsubscribe",
  "/text/subscription/status",
  "/health",
];

describe("the nearest path", () => {
  it.each([
    ["/message/send", "/text/message/send"],
    ["/send", "/text/message/send"],
    ["/bulk/message/send", "/text/bulk/message/send"],
    ["/subscription/status", "/text/subscription/status"],
    ["/subscribe", "/text/subscribe"],
    ["/v1/text/message/send", "/text/message/send"],
    ["/api/v2/text/message/send", "/text/message/send"],
    ["/v1/message/send", "/text/message/send"],
    ["/rest/api/v1.2/events/", "/text/events"],
    ["/gateway/text/unsubscribe", "/text/unsubscribe"],
    ["/Text/Message/Send", "/text/message/send"],
    ["/TEXT/SUBSCRIBE/", "/text/subscribe"],
    ["//v1//text//message//send//", "/text/message/send"],
    ["/text//message/send", "/text/message/send"],
    ["/text/subscribers", "/text/subscribe"],
    ["/text/message/sned", "/text/message/send"],
    ["/text/messages/send", "/text/message/send"],
    ["/txt/message/send", "/text/message/send"],
    ["/text/message/send%20", "/text/message/send"],
    ["/text/message/send.json", undefined],
    ["/heath", "/health"],
    ["/health/live", "/health"],
    ["/text/message/status/0193e0aa-7c1a-7000-8000-0d6a3f0c7f11", "/text/message/status"],
    ["/v1/text/events/?after=1", "/text/events"],
    ["/text", undefined],
    ["/text/sms/cancel", undefined],
    ["/", undefined],
    ["//", undefined],
    ["/v1", undefined],
    ["/x", undefined],
    ["/wp-login.php", undefined],
    ["/.env", undefined],
    ["/operator/websites", undefined],
    [`/${"x".repeat(16_000)}`, undefined],
  ])("to %s is %s", (given, nearest) => {
    expect(nearestPath(given, KNOWN)).toBe(nearest);
  });

  it("to one with a letter wrong is that one", () => {
    const letter = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz/-");
    // Two of the others differ in a letter or two themselves.
    const long = KNOWN.filter((path) => path.length > 11 && !/subscribe$|message.status/.test(path));
    fc.assert(
      fc.property(fc.constantFrom(...long), fc.nat(), fc.nat(2), letter, (path, at, way, other) => {
        const place = 1 + (at % (path.length - 1));
        const wrong = path.slice(0, place) + (way === 0 ? "" : other) + path.slice(place + (way === 2 ? 0 : 1));
        expect(nearestPath(wrong, KNOWN)).toBe(path);
      }),
    );
  });

  it("is one of the known, or none, whatever is asked for", () => {
    fc.assert(
      fc.property(fc.webPath({ size: "large" }), (path) => {
        expect([undefined, ...KNOWN]).toContain(nearestPath(path, KNOWN));
      }),
    );
  });
});
