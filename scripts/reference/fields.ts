import { type Document, follow, type Parameter, type Schema } from "./document.ts";

export interface Field {
  /** The names from the body down to it, without those of lists: `messages.phone`. */
  path: string;
  name: string;
  type: string;
  isRequired: boolean;
  about: string;
  /** The values that it can have, where they are few. */
  values: string[];
  standard: string | undefined;
  children: Field[];
}

/** The fields of an object, of the objects of a list, or of each of several forms of an object. */
export function fieldsOf(document: Document, schema: Schema, above = ""): Field[] {
  const forms = formsOf(document, schema);
  const fields = forms.flatMap((form) => {
    const own = Object.entries(form.properties ?? {}).map(([name, field]) => {
      // A form of several has its own required fields: what is missing in another one is not.
      const isRequired = forms.every(({ required = [] }) => required.includes(name));
      return toField(document, { name, path: `${above}${name}`, isRequired }, field);
    });
    const inner = [form.items, form.additionalProperties].filter((it) => typeof it === "object");
    return [...own, ...inner.flatMap((it) => fieldsOf(document, it, above))];
  });
  return mergeByName(fields);
}

export const fieldOf = (document: Document, { name, required, description, schema }: Parameter): Field => ({
  ...toField(document, { name, path: name, isRequired: required }, schema),
  about: description,
});

function toField(
  document: Document,
  { path, ...place }: Pick<Field, "name" | "path" | "isRequired">,
  schema: Schema,
): Field {
  const forms = formsOf(document, schema);
  const described = [follow(document, schema), ...forms, ...forms.flatMap(({ items }) => items ?? [])];
  return {
    ...place,
    path,
    type: typeOf(document, schema),
    about: described.find(({ description }) => description)?.description ?? "",
    values: [...new Set(described.flatMap((form) => form.enum ?? []).map(String))],
    standard: described
      .map((form) => form.default)
      .find((value) => value !== undefined)
      ?.toString(),
    children: fieldsOf(document, schema, `${path}.`),
  };
}

/** The forms of a value. In a request, null and "" stand for a field that is left out: they are no forms of it. */
function formsOf(document: Document, schema: Schema): Schema[] {
  const known = follow(document, schema);
  if (!known.anyOf) return [known];
  const isBlank = (form: Schema) => form.const === "";
  const isAbsence = (form: Schema) => isBlank(form) || (form.type === "null" && known.anyOf?.some(isBlank));
  return known.anyOf.filter((form) => !isAbsence(form)).flatMap((form) => formsOf(document, form));
}

function typeOf(document: Document, schema: Schema): string {
  const words = formsOf(document, schema).map((form) => {
    if (form.items) return `list of ${typeOf(document, form.items)}`;
    if (form.const !== undefined) return JSON.stringify(form.const);
    const type = [form.type ?? "any"].flat().join(" or ");
    return form.format ? `${type} (${form.format})` : type;
  });
  return [...new Set(words)].join(" or ");
}

function mergeByName(fields: Field[]): Field[] {
  const byName = Map.groupBy(fields, ({ name }) => name);
  return [...byName.values()].map((same) => {
    const [first] = same as [Field];
    return {
      ...first,
      type: [...new Set(same.map(({ type }) => type))].join(" or "),
      about: same.find(({ about }) => about)?.about ?? "",
      values: [...new Set(same.flatMap(({ values }) => values))],
      children: mergeByName(same.flatMap(({ children }) => children)),
    };
  });
}
