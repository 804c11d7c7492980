import { describe, expect, it } from "vitest";
import { anchorOf } from "../../scripts/reference/markdown.ts";
import { fillTables, listTables, makeTables } from "../../src/openapi/docs.ts";

/** From the root of the project: Vite gives paths relative to this file. */
const root = (path: string) => new URL(path, "file:///test/docs/").pathname.slice(1);
const texts = import.meta.glob(["../../*.md", "../../{client,docs,examples}/*.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const pages = Object.entries(texts).map(([path, text]) => ({ path: root(path), text }));
/** Not read, only listed. */
const files = Object.keys(
  import.meta.glob(["../../*", "../../{bench,client,docs,examples,migrations,scripts,src,test}/**", "!**/*.md"], {
    query: "?raw",
  }),
).map(root);

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** Links to a place in this project: what is linked, and from where. */
const links = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => ({ path, link }))
    .filter(({ link }) => !/^https?:/.test(link)),
);

/** Files and folders of this project that a text names. */
const named = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/`((?:bench|client|docs|examples|migrations|scripts|src|test)\/[\w./-]*)`/g)].map(
    ([, name = ""]) => ({
      path,
      name,
    }),
  ),
);

describe("README.md and docs/", () => {
  /** After a change of what a table is written from: `npm run docs`. */
  it.each(pages)("has each table as the code has it: $path", ({ text }) => {
    expect(text).toBe(fillTables(text, makeTables()));
  });

  it("has each table once", () => {
    expect(pages.flatMap(({ text }) => listTables(text)).sort()).toEqual(Object.keys(makeTables()).sort());
  });

  it.each(links)("has a link that leads somewhere: $path to $link", ({ path, link }) => {
    const { pathname, hash } = new URL(link, `file:///${path}`);
    const target = pages.find((page) => `/${page.path}` === pathname);
    const isKnown = target !== undefined || files.some((file) => `/${file}`.startsWith(pathname));
    expect([pathname, isKnown]).toEqual([pathname, true]);
    if (hash !== "") expect(anchorsOf(target?.text ?? "")).toContain(hash.slice(1));
  });

  it.each(named)("names a file that exists: $path, $name", ({ name }) => {
    const known = [...files, ...pages.map((page) => page.path)];
    expect(known.some((file) => file === name || file.startsWith(`${name.replace(/\/$/, "")}/`))).toBe(true);
  });

  it.each(["npm start", "npm test"])("begin with the command of a fresh machine: %s", (command) => {
    const readme = pages.find(({ path }) => path === "README.md")?.text ?? "";
    expect(readme).toContain(`\n    npm ci && ${command}\n`);
  });

  it("ends before its reader tires", () => {
    const readme = pages.find(({ path }) => path === "README.md")?.text ?? "";
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });
});

describe("the tables", () => {
  const tables = { errors: "| a |", limits: "| b |" };
  const marked = (name: string, table: string) => `<!-- ${name}: written by npm run docs -->\n${table}<!-- end -->`;

  it("are put between their marks, and nothing else changes", () => {
    const text = `a\n${marked("errors", "old\n")}\nb\n${marked("limits", "")}\n`;
    expect(fillTables(text, tables)).toBe(
      `a\n${marked("errors", "\n| a |\n\n")}\nb\n${marked("limits", "\n| b |\n\n")}\n`,
    );
    expect(listTables(text)).toEqual(["errors", "limits"]);
  });

  it("are known by their names", () => {
    expect(() => fillTables(marked("mistakes", ""), tables)).toThrow("no such table: mistakes");
  });
});
