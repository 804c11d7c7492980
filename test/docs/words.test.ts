/** The mechanical part of the style guide in CONTRIBUTING.md: what cannot be scanned, and phrases that cost a second reading. */
import { describe, expect, it } from "vitest";

const MOST_WORDS = { cell: 40, block: 90 };

const PHRASES =
  /\b(is told|in vain|of before|for good|what waits|surely|all the same|but for|nevertheless)\b|(?:^|[.:] )(?:Of (?:a|an|the|two|several|each)|Likewise)\b/gm;

const root = (path: string) => new URL(path, "file:///test/docs/").pathname.slice(1);
const texts = import.meta.glob(["../../{README,CONTRIBUTING,SECURITY}.md", "../../docs/*.md"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const pages = Object.entries(texts).map(([path, text]) => ({ path: root(path), text: proseOf(text) }));

/** Without code: blocks between fences, and indented ones. */
function proseOf(text: string): string {
  return text.replaceAll(/^```.*?^```/gms, "").replaceAll(/^ {4}.*$/gm, "");
}

const count = (text: string) => text.replaceAll(/\]\([^)]*\)/g, "]").match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

const isRow = (line: string) => line.startsWith("|");

/** Cells with more words than one reads at a glance. */
function longCells(text: string): string[] {
  const rows = text.split("\n").filter(isRow);
  return rows.flatMap((row) => row.split("|")).filter((cell) => count(cell) > MOST_WORDS.cell);
}

/** Paragraphs and items of lists that should be two. */
function longBlocks(text: string): string[] {
  const lines = text.split("\n").map((line) => (isRow(line) || line.startsWith("#") ? "" : line));
  return lines
    .join("\n")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((block) => count(block) > MOST_WORDS.block);
}

describe.each(pages)("$path", ({ text }) => {
  it("has no cell that should be a section", () => expect(longCells(text)).toEqual([]));
  it("has no block that should be two", () => expect(longBlocks(text)).toEqual([]));
  it("has no phrase that has to be read twice", () => {
    const found = [...text.matchAll(PHRASES)].map(({ index, 0: phrase }) =>
      text.slice(index - 40, index + phrase.length + 20),
    );
    expect(found).toEqual([]);
  });
});

it("finds what it looks for", () => {
  const long = (words: number) => "word ".repeat(words);
  expect(longCells(`| a | ${long(41)}|\n| b | ${long(40)}|`)).toHaveLength(1);
  expect(longBlocks(`${long(91)}\n\n- ${long(60)}\n- ${long(60)}\n\n# ${long(100)}`)).toHaveLength(1);
  expect("Of several, one. Nobody is told. It is for good.".match(PHRASES)).toHaveLength(3);
});
