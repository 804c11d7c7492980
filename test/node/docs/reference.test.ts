import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Document, isForOthers, type Schema } from "../../../scripts/reference/document.ts";
import { type Page, pagesOf, renderPage } from "../../../scripts/reference/page.ts";
import { ERROR_CODES } from "../../../src/http/error-codes.ts";
import { idsIn } from "../journeys/docs-pages.ts";

const DOCUMENT = JSON.parse(readFileSync("public/openapi.json", "utf8")) as Document;
const read = (name: string) => readFileSync(`docs/${name}`, "utf8");
const PAGES = pagesOf(DOCUMENT, read);
const RENDERED = PAGES.map((page) => renderPage(page, PAGES, DOCUMENT));

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** The letters and digits that a person reads, and no more: whatever is markup on either side. */
const lettersOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");
const readAloud = (page: string) =>
  lettersOf(page.replaceAll(/<[^>]*>/g, "").replaceAll(/&(\w+|#39);/g, (_, name) => ENTITIES[name] ?? ""));
const ofMarkdown = (text: string) => lettersOf(text.replaceAll(/\]\([^)]*\)/g, "").replaceAll(/<!--.*?-->/g, ""));

/** Every place of the document that has a property of this name, whatever it is: the oracle of the page's fields and words. */
function valuesOf(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(item, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...(key === name ? [inner] : []), ...valuesOf(inner, name)]);
}

/** The names of the fields from a schema down, as somebody writes them who follows the references by hand. */
function pathsIn(schema: Schema, above = ""): string[] {
  const named = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? "")?.[1];
  if (named) return pathsIn(DOCUMENT.components.schemas[named] as Schema, above);
  const ofFields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    above + name,
    ...pathsIn(field, `${above}${name}.`),
  ]);
  const others = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])];
  return [...ofFields, ...others.flatMap((inner) => (typeof inner === "object" ? pathsIn(inner, above) : []))];
}

describe("the pages of the reference", () => {
  const operations = Object.values(DOCUMENT.paths).flatMap((item) => Object.values(item));
  const events = Object.values(DOCUMENT.webhooks).flatMap((item) => Object.values(item));

  it("have each call and each event once, on the page of its reader", () => {
    const [clients = [], operator = []] = RENDERED.map(idsIn);
    const ids = [...operations, ...events].map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(70);
    for (const id of ids) expect([id, [...clients, ...operator].filter((it) => it === id)]).toEqual([id, [id]]);
    const ofOthers = Object.entries(DOCUMENT.paths).filter(([path]) => /^\/(operator|console|carriers)\//.test(path));
    const others = ofOthers.flatMap(([, item]) => Object.values(item).map(({ operationId }) => operationId));
    expect(others.filter((id) => !operator.includes(id))).toEqual([]);
    expect(ids.filter((id) => !others.includes(id) && !clients.includes(id))).toEqual([]);
  });

  it("have an id for each parameter, and each field of a request, of an event and of an answer", () => {
    const ids = new Set(RENDERED.flatMap(idsIn));
    const wanted = [...operations, ...events].flatMap(({ operationId, parameters = [], requestBody, responses }) => {
      const body = Object.values(requestBody?.content ?? {}).slice(0, 1);
      const ofBody = body.flatMap(({ schema }) => (schema ? pathsIn(schema) : []));
      const ofAnswers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema }) =>
          schema ? pathsIn(schema).map((path) => `${status}.${path}`) : [],
        ),
      );
      return [...parameters.map(({ name }) => name), ...ofBody, ...ofAnswers].map((path) => `${operationId}.${path}`);
    });
    expect(wanted.length).toBeGreaterThan(1000);
    expect(wanted.filter((id) => !ids.has(id))).toEqual([]);
  });

  it("have each error code once, where its answers link to it", () => {
    const [clients = [], operator = []] = RENDERED.map(idsIn).map((ids) => ids.filter((id) => /^\d{5}$/.test(id)));
    expect([...clients, ...operator].sort()).toEqual(Object.values(ERROR_CODES).map(String).sort());
    for (const [index, page] of RENDERED.entries()) {
      const here = [clients, operator][index] ?? [];
      const links = [...page.matchAll(/href="([^"]*)#(\d{5})"/g)];
      expect(links.length).toBeGreaterThan(50);
      expect(links.filter(([, path, code = ""]) => (path === "") !== here.includes(code))).toEqual([]);
    }
  });

  it("have all words of the document, without a script", () => {
    const words = RENDERED.map(readAloud).join(" ");
    const descriptions = [...valuesOf(DOCUMENT, "description"), ...valuesOf(DOCUMENT, "summary")];
    const texts = descriptions.filter((text): text is string => typeof text === "string");
    const lines = texts.flatMap((text) => text.split("\n")).map(ofMarkdown);
    expect(lines.length).toBeGreaterThan(1500);
    const left = lines.filter((line) => !words.includes(line));
    expect([...new Set(left)]).toEqual([]);
    for (const value of new Set(valuesOf(DOCUMENT.paths, "enum").flat()))
      expect([value, words.includes(lettersOf(String(value)))]).toEqual([value, true]);
  });

  it.each([0, 1])(
    "have ids once, links that lead to one of them, and nothing that the policy refuses: page %d",
    (index) => {
      const page = RENDERED[index] ?? "";
      const ids = idsIn(page);
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
      const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link);
      const idsAt: Record<string, string[]> = {
        "": ids,
        "/docs": idsIn(RENDERED[0] ?? ""),
        "/docs/operator": idsIn(RENDERED[1] ?? ""),
      };
      const inPages = links.filter((link) => /^[^:]*#/.test(link)).map((link) => link.split("#"));
      expect(inPages.length).toBeGreaterThan(100);
      expect(inPages.filter(([path = "", id = ""]) => !idsAt[path]?.includes(id))).toEqual([]);
      expect(links.filter((link) => !/^(#|\/|https:)/.test(link))).toEqual([]);
      expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=|\sname="(?!code-|viewport|color-scheme)/);
    },
  );

  it("lead from each link of a client's page to the section that it names, and so does the runbook's to its own", () => {
    const linksOf = (pages: (Page | undefined)[]) =>
      pages
        .flatMap((page) => page?.parts ?? [])
        .flatMap(({ markdown }) => [...markdown.matchAll(/\]\(([^:)]*#[^)]+)\)/g)]);
    const leadsTo = (page = "", link = "") => page.includes(`href="#${link.split("#")[1]}"`);
    const clients = linksOf([PAGES[0]]).map(([, link]) => link);
    const runbook = linksOf([PAGES[1]]).flatMap(([, link = ""]) => (/^(runbook\.md)?#/.test(link) ? link : []));
    expect([clients.length >= 5, runbook.length >= 15]).toEqual([true, true]);
    expect(clients.filter((link) => !leadsTo(RENDERED[0], link))).toEqual([]);
    expect(runbook.filter((link) => !leadsTo(RENDERED[1], link))).toEqual([]);
  });

  it("have programs that name the credentials, and never one of them, also with the client package", () => {
    for (const page of RENDERED) expect(page).not.toMatch(/\b[0-9a-f]{64}\b(?![^<]*<\/code><\/pre><\/figure>)/);
    expect(RENDERED[0]).toContain("X-Client-Secret: $CLIENT_SECRET");
    expect(RENDERED[1]).toContain("Authorization: Bearer $OPERATOR_TOKEN");
    const sections = (RENDERED[0] ?? "").split('<section class="call"');
    const ofClients = sections.filter((section) => / <code>\/text\//.test(section));
    expect(ofClients.length).toBe(Object.keys(DOCUMENT.paths).filter((path) => path.startsWith("/text/")).length);
    expect(ofClients.filter((section) => !section.includes('data-language="Package"'))).toEqual([]);
  });
});

describe("a page of any document", () => {
  const MARKS = ["<img src=x onerror=alert(1)>", '"><script>', "&amp;", "`code`", "| a |", "[x](javascript:alert(1))"];
  const text = fc.oneof(fc.constantFrom(...MARKS), fc.string({ maxLength: 12 }));
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  const leaf = fc.record({ type: fc.constantFrom("string", "integer", "boolean"), description: text });
  const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
    schema: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.record({ type: fc.constant("object"), properties: fc.dictionary(name, tie("schema"), { maxKeys: 3 }) }),
      fc.record({ type: fc.constant("array"), items: tie("schema") }),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    ),
  }));

  it("has each of its fields once, and what somebody has written as text", () => {
    const check = (body: Schema, summary: string) => {
      const call = { ...DOCUMENT.paths["/text/test-event"]?.post, operationId: "any", summary, responses: {} };
      const post = { ...call, requestBody: { content: { "application/json": { schema: body } } } };
      const document = { ...DOCUMENT, paths: { "/any": { post } }, webhooks: {} } as object as Document;
      const pages = pagesOf(document, read) as [Page, Page];
      const markup = renderPage(pages[0], pages, document);
      const ids = idsIn(markup).filter((id) => /^any\./.test(id) && id !== "any.Sandbox-Error");
      expect([...ids].sort()).toEqual([...new Set(pathsIn(body).map((path) => `any.${path}`))].sort());
      expect(markup).not.toMatch(/<img|<script(?! src="\/docs\/page\.js")|href="javascript/i);
    };
    fc.assert(fc.property(schema, text, check), { numRuns: 200 });
  });

  it("leaves nothing of a client's page to operators", () => {
    expect(PAGES[0]?.parts.flatMap(({ calls }) => calls.filter(isForOthers))).toEqual([]);
  });
});
