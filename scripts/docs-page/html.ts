/** Text that is HTML already: a template takes it as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Value = string | number | boolean | undefined | Markup | Value[];

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** A template of HTML. Escapes every value but Markup; `undefined` and `false` are nothing. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + write(values[index - 1]) + string));
}

function write(value: Value): string {
  if (value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(write).join("");
  return value instanceof Markup ? value.text : String(value).replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** The anchor that GitHub gives a heading: without punctuation, with hyphens for spaces. Links in docs/ use it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
