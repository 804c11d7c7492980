import * as fc from "fast-check";
import { expect } from "vitest";
import { World } from "../world.ts";

export const ADA = "+12125550100";
/** What ends a header, or stands for that somewhere. */
export const BREAKS = ["\r\n", "\n", "\r", "%0d%0a", "\u2028", "\u560d\u560a", "\u0000", "\ud800"];

/** Any URL that a send request takes, with any characters that one may have. */
const clickUrl = fc
  .tuple(
    fc.constantFrom("https", "HTTP", "http"),
    fc.oneof(fc.domain(), fc.constantFrom("bücher.example", "例え.jp", "EXAMPLE.com:8080", "[2606:4700::1111]")),
    fc.string({
      unit: fc.oneof(fc.constantFrom(...BREAKS, "é", "路", "%", "?", "#", "💬"), fc.string({ maxLength: 3 })),
    }),
  )
  .map(([scheme, host, rest]) => `${scheme}://${host}/${rest}`)
  .filter((url) => /^https?:\/\/[^\s\p{Cc}\p{Cs}]+$/iu.test(url) && URL.canParse(url) && url.length < 2048);

/** The Location of a link is visible ASCII, and leads where the URL leads. @param numRuns how many URLs are drawn */
export async function expectPlainLocations(numRuns: number): Promise<void> {
  const world = await World.create();
  const client = await world.brand([ADA]);
  await fc.assert(
    fc.asyncProperty(clickUrl, async (url) => {
      for (const table of ["links", "messages"]) await world.rows(`DELETE FROM ${table}`);
      await world.send(client, { phone: ADA, clickUrl: url });
      const [link] = await world.rows("SELECT l.code FROM links l JOIN messages m USING (message_id)");
      const answer = await world.fetch(`/l/${link?.code}`);
      const location = answer.headers.get("location") ?? "";
      expect([answer.status, location]).toEqual([302, expect.stringMatching(/^[\x21-\x7e]+$/)]);
      expect(new URL(location).href).toBe(new URL(url).href);
    }),
    { numRuns },
  );
}
