import type * as z from "zod";
import { BODY_LIMITS } from "../http/body.ts";
import { type Call, type Command, call, type Declared, jsonBody, type RequestBody } from "../http/call.ts";

/** A call of the operator: each is a command of the shell, too. */
export function operatorCall<Schema extends z.ZodType>(
  declared: Omit<Declared<Schema>, "access"> & { command: Command<z.output<NoInfer<Schema>>> },
): Call {
  return call<Schema>({ ...declared, access: "operator" } as Declared<Schema>);
}

/** What a command says of a number of things: `1 message`, `2,000 messages`. */
export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

export function settingsBody<Schema extends z.ZodType>(
  schema: Schema,
  examples: Record<string, z.input<NoInfer<Schema>>>,
): RequestBody {
  return jsonBody(schema, BODY_LIMITS.settings, examples);
}
