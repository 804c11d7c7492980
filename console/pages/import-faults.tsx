import type { JSX } from "preact";
import type { Failure } from "../lib/ask.ts";
import { Section, Table } from "../parts/section.tsx";

/** Why a file is refused, line by line. */
export function ImportFaults({ failure }: { failure: Failure | null }): JSX.Element | null {
  const faults = failure?.answer?.details ?? [];
  if (!faults.some(({ line }) => line !== undefined)) return null;
  return (
    <Section title="Nothing is imported. Correct these lines of the file">
      <Table
        class="preview"
        label="Faults of the file"
        rows={faults.map((fault, index) => ({ ...fault, index }))}
        keyOf={({ index }) => index}
        columns={[
          ["Line", ({ line }) => line ?? "–", "head"],
          ["Column", ({ field }) => (field === "body" ? "–" : field)],
          ["Value", ({ value }) => (value ? <code>{value}</code> : "–")],
          ["Cause", ({ message }) => message, "wide"],
        ]}
      />
    </Section>
  );
}
