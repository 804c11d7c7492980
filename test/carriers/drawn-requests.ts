import * as fc from "fast-check";
import { expect, it } from "vitest";
import { submitTo } from "./alone.ts";
import type { telnyx } from "./telnyx.ts";
import type { twilio } from "./twilio.ts";

/** A request to a carrier that publishes what it takes. @param numRuns how many requests are drawn */
export function testDrawnRequests(carrier: typeof telnyx | typeof twilio, numRuns: number): void {
  it("is as published, whatever the sender, the text and the media", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...carrier.senders),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }),
        fc.option(fc.webUrl({ withQueryParameters: true, withFragments: true })),
        async (from, text, mediaUrl) => {
          const { requests } = await submitTo(carrier, carrier.accepts, { from, text, mediaUrl });
          expect(requests).toMatchObject([{ faults: [], from, text, mediaUrls: mediaUrl === null ? [] : [mediaUrl] }]);
        },
      ),
      { numRuns },
    );
  });
}
