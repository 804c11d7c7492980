import { type Document, resolve, type Schema } from "./document.ts";
import { html, type Markup } from "./html.ts";
import { toInline } from "./markdown.ts";

/** The fields of an object, those of the objects in it, and of the items of a list. */
export function writeFields(document: Document, given: Schema): Markup | undefined {
  const schema = resolve(document, given);
  if (schema.items) return writeFields(document, schema.items);
  const variants = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  if (!schema.properties) {
    const inner = variants.map((variant) => writeFields(document, variant)).filter((part) => part !== undefined);
    if (typeof schema.additionalProperties === "object") return writeFields(document, schema.additionalProperties);
    return inner.length === 0 ? undefined : html`${inner}`;
  }
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    return writeField(document, name, field, isRequired);
  });
  return fields.length === 0 ? undefined : html`<dl class="fields">${fields}</dl>`;
}

function writeField(document: Document, name: string, given: Schema, isRequired: boolean): Markup {
  const field = resolve(document, given);
  const about = field.description ?? field.anyOf?.find(({ description }) => description)?.description;
  return html`<dt><code>${name}</code> ${writeType(document, field)}${isRequired && html` <strong>required</strong>`}</dt>
<dd>${about !== undefined && html`<p>${toInline(about)}</p>`}${writeFields(document, field)}</dd>
`;
}

/** In words, such as: string (uuid) or null. Nothing where any value is taken. */
export function writeType(document: Document, schema: Schema): Markup {
  const type = typeOf(document, schema);
  return type.text === "" ? type : html`<span class="type">${type}</span>`;
}

function typeOf(document: Document, given: Schema): Markup {
  const schema = resolve(document, given);
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum) return join(schema.enum.map((value) => html`<code>${String(value)}</code>`));
  const variants = withoutAbsent([...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].filter(isTyped));
  if (variants.length > 0) return join(variants.map((variant) => typeOf(document, variant)));
  const types = [schema.type ?? []].flat();
  return join(types.map((type) => html`${nameOf(document, type, schema)}`));
}

function nameOf(document: Document, type: string, schema: Schema): Markup {
  if (type === "array") {
    const { items } = schema;
    const type = items ? typeOf(document, items) : html``;
    return type.text === "" ? html`list` : html`list of ${type}`;
  }
  const isPlain = type !== "string" || schema.format === undefined;
  return html`${type}${isPlain ? "" : ` (${schema.format})`}`;
}

/** Some variants only say which fields are required. */
const isTyped = ({ $ref, type, const: value, enum: values, anyOf, oneOf }: Schema) =>
  [$ref, type, value, values, anyOf, oneOf].some((part) => part !== undefined);

/** `null` and `""` count as absent wherever both are taken: the page says so once. */
function withoutAbsent(variants: Schema[]): Schema[] {
  const isAbsent = (schema: Schema) => schema.const === "" || schema.type === "null";
  return variants.filter(isAbsent).length === 2 ? variants.filter((schema) => !isAbsent(schema)) : variants;
}

function join(parts: Markup[]): Markup {
  const [first, ...others] = parts;
  return html`${first}${others.map((part) => html` or ${part}`)}`;
}
