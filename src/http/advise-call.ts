import type { FieldError } from "../domain/failure.ts";
import { type IgnoredFields, knownFields } from "../domain/messages/ignored-fields.ts";
import type { Call } from "./call.ts";

/**
 * The faults of a body; or, if all of its fields are those of other calls of clients, and none is a field of its own, which calls they are.
 * @param path of the call, as the router has it
 */
export function adviseCall(
  details: FieldError[],
  ignored: IgnoredFields | undefined,
  path: string | null,
  calls: Call[],
): FieldError[] {
  if (ignored === undefined || ignored.hasKnown || ignored.names.length === 0) return details;
  const isNamed = details.some(({ message }) => message.includes(": write the name of "));
  const meant = calls.filter(({ access, body, ...call }) => {
    if (typeof access !== "object" || body === undefined || call.path === path) return false;
    const fields = knownFields(body.schema);
    return ignored.names.every((name) => fields.has(name));
  });
  if (isNamed || meant.length === 0) return details;
  const paths = meant.map((call) => call.path).join(", ");
  return [{ field: "body", message: `has no field of this call: its fields are those of ${paths}` }];
}
