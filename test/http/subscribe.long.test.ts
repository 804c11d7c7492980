import { describe, expect, it } from "vitest";
import { base64, call, prepare } from "./subscribing.ts";

prepare();

describe("subscribe", () => {
  it("takes 50,000 rows with long addresses", async () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => `+1212${5_000_000 + i},p${i}@${"x".repeat(60)}.example.com`);
    const csv_file = base64(`phone_numbers,email\n${rows.join("\n")}`);
    expect((await call("/text/subscribe", { csv_file, sendPurpose: "a" })).body).toMatchObject({
      message: "50000 numbers are subscribed.",
    });
  });
});
