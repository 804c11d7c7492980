import type { ComponentChildren, JSX } from "preact";

/** A line of a list of facts. */
export function Fact({
  name,
  title,
  children,
}: {
  name: string;
  title?: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd title={title}>{children}</dd>
    </>
  );
}
