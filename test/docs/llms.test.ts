import { describe, expect, it } from "vitest";
import written from "../../public/llms.txt?raw";
import { CALLS } from "../../src/calls.ts";
import { makeLlmsText } from "../../src/openapi/llms.ts";

describe("llms.txt", () => {
  /** After a change of the calls: `npm run docs`. */
  it("is as the calls of today make it", () => {
    expect(written).toBe(makeLlmsText());
  });

  it("has the form of llmstxt.org: a title, a quotation, and lists of links", () => {
    const [title, , quotation] = written.split("\n");
    expect([title, quotation]).toEqual(["# Textgate", expect.stringMatching(/^> \S/)]);
    const sections = written.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split("\n")[0])).toEqual(["Reference", "Calls of a client"]);
    for (const section of sections) {
      for (const line of section.trim().split("\n").slice(2)) expect(line).toMatch(/^- \[[^\]]+\]\(\/[^)]+\)/);
    }
  });

  it("names each call of a client, and no other", () => {
    const named = [...written.matchAll(/^- \[((?:GET|POST) [^\]]+)\]/gm)].map(([, call]) => call);
    const calls = CALLS.filter(({ path }) => path.startsWith("/text/"));
    expect(named).toEqual(calls.map(({ method, path }) => `${method} ${path}`));
  });
});
