import { expect, it } from "vitest";
import { encode, explainWhole, hugeBodies } from "./huge-bodies.ts";

it.each(hugeBodies(8_000_000))("a body of 8 MB that is not JSON is explained, with %s", (_, body, message) => {
  expect(explainWhole(encode(body))).toContain(message);
});
