import { Marked } from "marked";
import { escapeHtml, Markup } from "./html.ts";

/**
 * @param places the addresses of the ids of the pages: a link between the pages of docs/ leads to its place here; where there is none, its
 *   text stays
 */
export function toHtml(markdown: string, places: ReadonlyMap<string, string>): Markup {
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const id = anchorOf(text);
        return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const anchor = /^[^:/]*#(.*)$/.exec(href)?.[1];
        const address = anchor === undefined ? href : (places.get(anchor) ?? "");
        return /^(https:|\/|#)/.test(address) ? `<a href="${escapeHtml(address)}">${text}</a>` : text;
      },
      // What Markdown takes for a tag is a word of ours.
      html: ({ text }) => escapeHtml(text),
    },
  });
  return new Markup(marked.parse(markdown, { async: false }));
}

/** The ids of the headings of a text. */
export const anchorsIn = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** The anchor that GitHub gives a heading: without punctuation, with hyphens for spaces. Links in docs/ use it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** @returns the sections of the second level, each with its heading */
export const sectionsOf = (markdown: string): string[] =>
  markdown.split(/^(?=## )/m).filter((section) => section.startsWith("## "));

/** @returns the section of the second level with this heading */
export function sectionOf(markdown: string, heading: string): string {
  const section = sectionsOf(markdown).find((part) => part.startsWith(`## ${heading}\n`));
  if (section === undefined) throw new Error(`no such section: ${heading}`);
  return section;
}
