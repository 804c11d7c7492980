import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { isOperator } from "../lib/session.ts";
import { Button } from "./button.tsx";
import type { Column } from "./section.tsx";

/** The rows of a list that somebody has picked, as the list has them now: one that is gone is not among them. */
export interface Picked<Row = unknown> {
  rows: Row[];
  has: (key: string) => boolean;
  pick: (keys: string[], isOn: boolean) => void;
  /** All that may be picked. */
  keys: string[];
}

export function usePicked<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Picked<Row> {
  const [keys, setKeys] = useState<string[]>([]);
  return {
    rows: rows.filter((row) => keys.includes(keyOf(row))),
    has: (key) => keys.includes(key),
    pick: (some, isOn) => setKeys([...keys.filter((key) => !some.includes(key)), ...(isOn ? some : [])]),
    keys: rows.map(keyOf),
  };
}

/** A box before each row that can be picked; none for a viewer, who has no verb. */
export function pickColumn<Row>(picked: Picked, keyOf: (row: Row) => string, of: (row: Row) => string): Column<Row>[] {
  if (!isOperator()) return [];
  const cell = (row: Row) => {
    const key = keyOf(row);
    return (
      picked.keys.includes(key) && (
        <input
          type="checkbox"
          aria-label={`Pick ${of(row)}`}
          checked={picked.has(key)}
          onChange={(event) => picked.pick([key], event.currentTarget.checked)}
        />
      )
    );
  };
  return [["Pick", cell, "pick"]];
}

interface BarProps {
  picked: Picked;
  words: string;
  /** A button for each verb. */
  children: ComponentChildren;
}

/** It stays in sight below the rows. */
export function PickedBar({ picked, words, children }: BarProps): JSX.Element | null {
  const { rows, keys, pick } = picked;
  if (rows.length === 0) return null;
  return (
    <div class="save-bar">
      <p role="status">
        <strong>{words}</strong>
      </p>
      <Button onPress={() => pick(keys, rows.length < keys.length)}>
        {rows.length < keys.length ? `All ${keys.length}` : "None"}
      </Button>
      {children}
    </div>
  );
}
