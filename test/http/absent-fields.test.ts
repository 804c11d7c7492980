/** What the document says once for the fields of all bodies holds for each call that has one. */
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { CALLS } from "../../src/calls.ts";
import { toJsonSchema } from "../../src/openapi/schemas.ts";

const BODIES = CALLS.flatMap(({ id, access, body }) => {
  if (access === "carrier" || !body?.mediaTypes.includes("application/json")) return [];
  return [{ id, schema: body.schema, examples: Object.values(body.examples) as object[] }];
});

/** Null takes a setting of a website away, and no website is left without a name. */
const ALWAYS_THERE = new Set(["putWebsite.name"]);

function optionalFields(schema: z.ZodType): string[] {
  const { properties = {}, required = [] } = toJsonSchema(schema) as { properties?: object; required?: string[] };
  return Object.keys(properties).filter((name) => !required.includes(name));
}

/** Without the rule that one of two fields must be given: the other one of the example may have been the one. */
function faultsOf(schema: z.ZodType, body: object): string[] {
  const { issues } = schema.safeParse(body).error ?? { issues: [] };
  return issues.filter(({ message }) => !message.startsWith("either ")).map(({ path }) => path.join("."));
}

describe.each(BODIES)("the body of $id", ({ id, schema, examples }) => {
  const fields = optionalFields(schema).filter((name) => !ALWAYS_THERE.has(`${id}.${name}`));

  it.each([null, ""])("may have %j in the place of each optional field", (absent) => {
    const faults = examples.flatMap((example) =>
      fields.flatMap((name) => faultsOf(schema, { ...example, [name]: absent })),
    );
    expect(faults).toEqual([]);
  });

  it("may have a field that nobody knows", () => {
    for (const example of examples) expect(faultsOf(schema, { ...example, unknown: 1 })).toEqual([]);
  });
});
