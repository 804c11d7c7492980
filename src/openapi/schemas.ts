import * as z from "zod";

export type JsonObject = Record<string, unknown>;

/** Gives the schemas names: each is written once, among the components, and referred to. */
export class SchemaNames {
  readonly #registry = z.registry<{ id: string }>();

  constructor(schemas: Record<string, z.ZodType>) {
    for (const [id, schema] of Object.entries(schemas)) this.#registry.add(schema, { id });
  }

  /** @returns a reference, or the schema itself where it has no name */
  refer(schema: z.ZodType): JsonObject {
    const id = this.#registry.get(schema)?.id;
    return id === undefined ? toJsonSchema(schema) : { $ref: toUri(id) };
  }

  /** All named schemas, by name. */
  toComponents(): Record<string, JsonObject> {
    const { schemas } = z.toJSONSchema(this.#registry, { ...OPTIONS, uri: toUri });
    return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, trim(schema)]));
  }
}

const toUri = (id: string) => `#/components/schemas/${id}`;

/** What comes in: of an answer, that leaves the client free to be given further fields. */
const OPTIONS = { io: "input", target: "draft-2020-12", override: dropPattern } as const;

export function toJsonSchema(schema: z.ZodType): JsonObject {
  return trim(z.toJSONSchema(schema, OPTIONS));
}

/** The pattern of what has a format says the same at ten times the length. */
function dropPattern({ jsonSchema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (jsonSchema.format === "uuid" || jsonSchema.format === "date-time") delete jsonSchema.pattern;
}

function trim({ $schema, $id, ...schema }: JsonObject): JsonObject {
  return schema;
}
