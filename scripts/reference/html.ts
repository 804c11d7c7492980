/** Markup that stands as it is, where any other text is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Markup | string | number | false | undefined | Value[];

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");

/** A template of HTML: each value in it is text or markup, and false or undefined are nothing. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(strings.map((part, index) => part + toText(values[index])).join(""));
}

function toText(value: Value): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  return Array.isArray(value) ? value.map(toText).join("") : escapeHtml(String(value));
}
