// Pure. The command of the shell that does what a page does.
import { inShell } from "../../src/operator/in-shell.ts";

/** Options that are undefined, null or empty are left out, and one that is true is a switch. */
export function commandOf(
  name: string,
  words: readonly string[],
  options: Record<string, string | boolean | null | undefined> = {},
): string {
  const given = Object.entries(options).flatMap(([option, value]) =>
    value ? [`--${option}${value === true ? "" : ` ${inShell(value)}`}`] : [],
  );
  return [name, ...words.map(inShell), ...given].join(" ");
}
