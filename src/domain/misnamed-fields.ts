// Pure. A field that a body has under a name in other case, with other separators, misspelled, or as another service names it, is not that
// field: JSON compares names letter by letter. The error says which name was written, because that the field is missing is hard to believe.
import { nearestOf } from "./operations/nearest.ts";

interface Fault {
  field: string;
  message: string;
}

/** So many names of a body are compared at most, and so many characters of a name. */
const MOST_NAMES = 100;
const MOST_CHARACTERS = 40;

/** A bulk request has thousands of messages, and each may have as many unknown names: few of them are compared letter by letter. */
const MOST_COMPARED = 20;
const MOST_APART = 2;

const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, "");

/** The names of fields in other services of this kind, above all Twilio's `To` and `Body`. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  phone: ["to", "number", "phonenumber", "recipient", "mobile", "msisdn"],
  text: ["body", "message", "content"],
  messageId: ["id", "sid", "messagesid"],
};

/** The name out of `others` under which somebody may have written a field. */
function otherNameOf(field: string, others: string[]): string | undefined {
  const letters = others.map(lettersOf);
  const known = ELSEWHERE[field] ?? [];
  const exact = letters.findIndex((name) => name === lettersOf(field) || known.includes(name));
  if (exact !== -1) return others[exact];
  const alike = letters.filter(({ length }) => Math.abs(length - lettersOf(field).length) <= MOST_APART);
  const near = nearestOf(lettersOf(field), alike.slice(0, MOST_COMPARED));
  return near === undefined ? undefined : others[letters.indexOf(near)];
}

/** What a body has under the name of a field in other case, or with other separators: without it, the rest may mean more. */
export function findMisnamed(fields: ReadonlySet<string>, body: object): Fault[] {
  const names = Object.keys(body).slice(0, MOST_NAMES);
  const others = names.filter((name) => name.length <= MOST_CHARACTERS && !fields.has(name));
  return others.flatMap((other) => {
    const field = [...fields].find((name) => lettersOf(name) === lettersOf(other));
    return field === undefined ? [] : [{ field: other, message: `must be written as ${field}` }];
  });
}

/**
 * The faults. Each of a field that the body lacks says under which other name the body has it.
 * @param fields of the schema of the body
 */
export function nameMisnamed<T extends Fault>(faults: T[], fields: ReadonlySet<string>, body: unknown): T[] {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return faults;
  const others = Object.keys(body)
    .slice(0, MOST_NAMES)
    .filter((name) => name.length <= MOST_CHARACTERS && !fields.has(name));
  if (others.length === 0) return faults;
  return faults.map((fault) => {
    // A rule for either of several fields names them.
    const isRule = fault.message.startsWith("either ");
    const missing = [...fields].filter((name) => fault.field === name || (isRule && fault.message.includes(name)));
    const found = missing.flatMap((name) => {
      const other = otherNameOf(name, others);
      return other === undefined || !isAbsentIn(body, name)
        ? []
        : `: write the name of ${JSON.stringify(other)} as ${name}`;
    });
    return found[0] === undefined ? fault : { ...fault, message: fault.message + found[0] };
  });
}

const isAbsentIn = (body: object, name: string) =>
  !Object.hasOwn(body, name) || [null, "", undefined].includes((body as Record<string, null>)[name]);
