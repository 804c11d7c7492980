import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { inboundUrlOf } from "./kannel-config.ts";

it("a gateway is told of inbound texts by the URL of docs/carriers.md", () => {
  const page = readFileSync("docs/carriers.md", "utf8");
  expect(page).toContain(`\`${inboundUrlOf("<PUBLIC_ORIGIN>", "<KANNEL_WEBHOOK_KEY>")}\``);
});
