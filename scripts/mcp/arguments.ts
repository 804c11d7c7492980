// What a tool takes: arguments that say nothing are absent, and what is wrong is said so that a model can set it right.
import type { JsonSchemaType, jsonSchemaValidator } from "@modelcontextprotocol/server";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);

type Arguments = Record<string, unknown>;

/**
 * Without null and "" in the place of an argument that may be left out: a model that has to name each argument writes them. Within a body,
 * null removes a setting.
 */
function withoutAbsent({ required = [] }: JsonSchemaType, given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given as Arguments).filter(
      ([name, value]) => (value !== null && value !== "") || (required as string[]).includes(name),
    ),
  );
}

export const validator: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType) {
    const validate = ajv.compile<T>(schema);
    return (input: unknown) => {
      const given = withoutAbsent(schema, input);
      return validate(given)
        ? { valid: true as const, data: given, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: explain(schema, validate.errors ?? []) };
    };
  },
};

/** A choice is explained once, by what each of its branches wants. */
function explain(schema: JsonSchemaType, errors: ErrorObject[]): string {
  const isWithin = (inner: ErrorObject, outer: ErrorObject) => inner.schemaPath.startsWith(`${outer.schemaPath}/`);
  const choices = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  const say = (error: ErrorObject): string => {
    const branches = choices.includes(error) ? errors.filter((one) => isWithin(one, error)) : [];
    return branches.length === 0 ? sayOne(schema, error) : [...new Set(branches.map(say))].join(", or ");
  };
  return [...new Set(errors.filter((error) => !choices.some((choice) => isWithin(error, choice))).map(say))].join("; ");
}

function sayOne(schema: JsonSchemaType, { instancePath, keyword, params, message }: ErrorObject): string {
  const place = instancePath.slice(1).replaceAll("/", ".");
  const nameOf = (field: string) => (place === "" ? field : `${place}.${field}`);
  if (keyword === "required") return `${nameOf(params.missingProperty)} is missing`;
  if (keyword === "additionalProperties")
    return `there is no argument ${params.additionalProperty}: the tool takes ${Object.keys(schema.properties ?? {}).join(", ") || "none"}`;
  if (keyword === "enum") return `${place} must be one of: ${params.allowedValues.join(", ")}`;
  return `${place} ${message}`;
}
