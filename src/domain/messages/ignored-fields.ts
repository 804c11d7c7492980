// Pure. The fields of a request that no schema has: they are ignored, and named in the answer.
import * as z from "zod";

/** A header has room for some names; who has misspelled one finds it among them. */
export const MOST_NAMES = 20;
export const MOST_CHARACTERS = 500;

/** What stands between the names in the header. */
const SEPARATOR = ", ";

/** The names, as they were sent: what is neither visible nor ASCII, and what would be taken for the separator, is percent-encoded. */
export class IgnoredFields {
  readonly #names = new Set<string>();
  #characters = 0;
  /** Whether a body has had any field that its schema has. */
  hasKnown = false;

  /** @param body a JSON value: what is no object has no fields */
  addOf(schema: z.ZodType, body: unknown): void {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return;
    const known = knownFields(schema);
    for (const name of Object.keys(body)) {
      if (known.has(name)) this.hasKnown = true;
      else this.add(name);
    }
  }

  add(name: string): void {
    if (this.#names.size === MOST_NAMES || name === "" || name.length > MOST_CHARACTERS) return;
    const shown = name.toWellFormed().replace(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
    const characters = this.#characters + shown.length + (this.#names.size === 0 ? 0 : SEPARATOR.length);
    if (this.#names.has(shown) || characters > MOST_CHARACTERS) return;
    this.#names.add(shown);
    this.#characters = characters;
  }

  get names(): string[] {
    return [...this.#names];
  }

  /** "": none. */
  get header(): string {
    return this.names.join(SEPARATOR);
  }
}

/** In the answer to a body, because few programs read a header. */
export const ignoredFieldsShape = {
  ignoredFields: z
    .array(z.string())
    .optional()
    .describe(
      "The unknown fields and parameters of the request, as the header `Ignored-Fields` names them. Left out if there are none.",
    ),
};

const known = new WeakMap<z.ZodType, ReadonlySet<string>>();

/** The fields of the object that a schema begins with. */
export function knownFields(schema: z.ZodType): ReadonlySet<string> {
  const found = known.get(schema) ?? new Set(Object.keys(shapeOf(schema)));
  known.set(schema, found);
  return found;
}

function shapeOf(schema: z.core.$ZodType): object {
  if (schema instanceof z.ZodPipe) return shapeOf(schema.in);
  if (schema instanceof z.ZodObject) return schema.shape;
  // Jobs are one: nobody writes their fields by hand.
  if (schema instanceof z.ZodUnion) return {};
  throw new Error("the schema is of no object");
}
