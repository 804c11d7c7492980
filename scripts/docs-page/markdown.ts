import { Marked } from "marked";
import { anchorOf, Markup } from "./html.ts";

const marked = new Marked({ gfm: true });

/**
 * The Markdown is our own: HTML in it is left as it is.
 * @param depth by how many levels its headings are lowered
 */
export function toMarkup(markdown: string, depth = 0): Markup {
  const text = marked.parse(markdown, { async: false });
  return new Markup(
    text
      .replaceAll(/<h(\d)>(.*?)<\/h\d>/g, (_, level: string, heading: string) => {
        const lowered = Number(level) + depth;
        return `<h${lowered} id="${anchorOf(heading)}">${heading}</h${lowered}>`;
      })
      // Wider than a phone: it scrolls by itself, also by the arrow keys.
      .replaceAll("<table>", '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>')
      .replaceAll("</table>", "</table></div>"),
  );
}

/** One paragraph, without the tags of a paragraph. */
export function toInline(markdown: string): Markup {
  return new Markup(marked.parseInline(markdown, { async: false }));
}

/** @returns a section of the second level, with its heading */
export function sectionOf(markdown: string, heading: string): string {
  const section = markdown.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  if (section === undefined) throw new Error(`no such section: ${heading}`);
  return section;
}
