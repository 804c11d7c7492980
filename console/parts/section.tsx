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
  class: kind,
  label,
  children,
}: {
  class: string;
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

/** The head of a table; numbers stand to the right, and the name of a column of buttons is only said. */
export function Head({
  columns,
  numbers = [],
  unseen,
}: {
  columns: string[];
  numbers?: string[];
  unseen?: string;
}): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map((name) => (
          <th key={name} scope="col" class={numbers.includes(name) ? "number" : undefined}>
            {name === unseen ? <span class="unseen">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

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
