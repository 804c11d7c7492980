/** Bodies that are not JSON, as large as a body may be, for json-fault.test.ts and its long form. */
import { explainEncoding } from "../../src/domain/json-fault.ts";
import { explainNotJson } from "../../src/domain/json-reader.ts";

export const encode = (text: string) => new TextEncoder().encode(text);

/** The sentence of a single send. */
export function explainWhole(bytes: Uint8Array): string {
  return `The body ${explainEncoding(bytes, 0) ?? explainNotJson(bytes)}`;
}

/** What a body of about so many bytes is full of, and what is said of it. */
export function hugeBodies(bytes: number): [fullOf: string, body: string, message: string][] {
  return [
    ["arrays", `${"[".repeat(100_000)}x`, '"x" where a value was expected'],
    ["objects", `${'{"a":'.repeat(100_000)}x`, '"x" where a value was expected'],
    ["many values, far within", `${"[".repeat(50_000)}${"0,".repeat(bytes / 8)}x`, '"x" where a value was expected'],
    ["escapes", `["${"\\u00e9".repeat(bytes / 8)}"x`, '"x" where a comma or "]" was expected'],
    ["a long string in the wrong place", `[1 "${"x".repeat(bytes)}"`, 'a string where a comma or "]" was expected'],
    ["a long number", `[${"1".repeat(bytes)}x`, '"x" where a comma or "]" was expected'],
    ["line breaks", `${"\r\n".repeat(bytes / 2)}x`, `line ${bytes / 2 + 1}, column 1 has`],
  ];
}
