import type { ComponentChildren, JSX } from "preact";
import type { Older } from "../lib/use-older.ts";
import { Button, FailureLine } from "./button.tsx";

/** A part of a page: its heading, what it is of, and what can be done there. */
export function Section({
  title,
  of,
  act,
  id,
  children,
}: {
  title: string;
  of?: ComponentChildren;
  act?: ComponentChildren;
  id?: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section id={id} class="section" tabIndex={id ? -1 : undefined}>
      <div class="section-head">
        <h2>{title}</h2>
        {of && <span class="of">{of}</span>}
        {act && <span class="section-act">{act}</span>}
      </div>
      {children}
    </section>
  );
}

/** A table that may be wider than the page: it scrolls within itself, and the keyboard reaches it. */
export function Rows({
  class: kind = "",
  label,
  children,
}: {
  class?: string;
  label: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="rows-place">
      <table class={`rows ${kind}`} aria-label={label}>
        {children}
      </table>
    </div>
  );
}

/**
 * A column: its name, the cell of a row, and how it stands. `head`: it names the row. `number`: to the right. `acts`, `pick`: buttons and boxes, so
 * its name is only said. On a phone, `wide` takes the whole width, `right` stands to the right, and `named` has its name before it.
 */
export type Column<Row> = [name: string, cell: (row: Row) => ComponentChildren, look?: string, under?: string];

export function Head({ columns }: { columns: Column<never>[] }): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map(([name, , look, under]) => (
          <th key={name} scope="col" class={look}>
            {/acts|pick/.test(look ?? "") ? <span class="unseen">{name}</span> : name}
            {under && <code class="second">{under}</code>}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function Cells<Row>({ row, columns }: { row: Row; columns: Column<Row>[] }): JSX.Element {
  return (
    <tr>
      {columns.map(([name, cell, look]) => {
        const isHead = look?.includes("head");
        const Cell = isHead ? "th" : "td";
        return (
          <Cell key={name} scope={isHead ? "row" : undefined} class={look} data-label={name}>
            {cell(row)}
          </Cell>
        );
      })}
    </tr>
  );
}

interface TableProps<Row> {
  label: string;
  class?: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  columns: Column<Row>[];
}

export function Table<Row>({ label, class: kind = "", rows, keyOf, columns }: TableProps<Row>): JSX.Element {
  return (
    <Rows class={kind} label={label}>
      <Head columns={columns} />
      <tbody>
        {rows.map((row) => (
          <Cells key={keyOf(row)} row={row} columns={columns} />
        ))}
      </tbody>
    </Rows>
  );
}

/** A cell of two lines. */
export const Two = ({ first, second }: { first: ComponentChildren; second: ComponentChildren }): JSX.Element => (
  <>
    {first}
    {second && <span class="second">{second}</span>}
  </>
);

/** The end of a list: what is shown, of how many, and the way to older ones. */
export function ListEnd({ children, older }: { children: ComponentChildren; older: Older<unknown> }): JSX.Element {
  const { hasMore, loading, load } = older;
  return (
    <>
      <div class="list-end">
        <span>{children}</span>
        {hasMore && (
          <Button isSmall isOff={loading.isBusy} onPress={load}>
            Older
          </Button>
        )}
      </div>
      <FailureLine failure={loading.failure} />
    </>
  );
}

export interface Tab {
  label: string;
  count?: string | undefined;
  href: string;
  isCurrent: boolean;
}

export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ label: name, count, href, isCurrent }) => (
        <a key={name} href={href} aria-current={isCurrent ? "true" : undefined}>
          {name} {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}
