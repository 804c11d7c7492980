import type { ImportAnswer, ImportProgress } from "../answers.ts";
import { websitePath } from "./addresses.ts";
import { ask, pathOf, send } from "./ask.ts";

export interface Import {
  websiteId: string;
  file: File;
}

const pathFor = ({ websiteId, file }: Import, query: Record<string, string>) =>
  pathOf(`${websitePath(websiteId)}/subscribers`, { ...query, file: file.name });

/** Nothing is stored. */
export const previewImport = (it: Import): Promise<ImportAnswer> =>
  ask<ImportAnswer>(pathFor(it, { dryRun: "true" }), { method: "POST", csv: it.file });

/**
 * Stores the rows; the service says with a line of JSON how many it has stored, and its last line is the answer.
 * @throws Failure
 */
export async function runImport(it: Import, onProgress: (progress: ImportProgress) => void): Promise<ImportAnswer> {
  const response = await send(pathFor(it, { progress: "true" }), { method: "POST", csv: it.file });
  if (!response.body || !/ndjson/.test(response.headers.get("content-type") ?? ""))
    return (await response.json()) as ImportAnswer;
  let rest = "";
  let last: ImportAnswer | null = null;
  const decoder = new TextDecoder();
  const take = (line: string) => {
    if (line.trim() === "") return;
    const told = JSON.parse(line) as ImportProgress | ImportAnswer;
    if ("stored" in told) onProgress(told);
    else last = told;
  };
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split("\n");
    rest = done ? "" : (lines.pop() ?? "");
    lines.forEach(take);
    if (done) break;
  }
  if (!last) throw new Error("The import was cut off. What is stored stays: look at the list of imports.");
  return last;
}
