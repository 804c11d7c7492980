import { describe, expect, it } from "vitest";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";
import { testDrawnFiles } from "./drawn-subscriber-files.ts";
import { encode, readPieces } from "./subscriber-pieces.ts";

describe("a file of subscribers in pieces", () => {
  testDrawnFiles(1000);

  it("has 250,000 rows at most, and a part that a fault follows is not stored", () => {
    const lines = Array.from({ length: 250_000 }, (_, index) => `+1212${5_000_000 + index}\n`);
    const file = new SubscriberFile(Date.now(), true);
    const whole = encode(`phone_numbers\n${lines.join("")}`);
    expect([...file.write(whole), ...file.end()].map(({ rows: count }) => count)).toEqual([
      ...new Array(50).fill(5000),
      0,
    ]);
    const longer = new SubscriberFile(Date.now(), true);
    expect([...longer.write(whole), ...longer.write(encode("+12124000000\n"))].length).toBe(50);
    expect(() => longer.end()).toThrow("fields-wrong");
    const { details } = readPieces([encode(`phone_numbers\n${lines.join("")}+12124000000\n`)], true) as {
      details: object[];
    };
    expect(details).toEqual([
      {
        field: "body",
        message:
          "has more than 250,000 rows, the most that a request may have: cut the file, repeat its first line in each piece, and send the pieces one after the other, each but the first with the importId that the first one answers",
      },
    ]);
  });
});
