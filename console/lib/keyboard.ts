import { go } from "./use-route.ts";

/** After `g`, the letter of a page. */
export const PAGES: Record<string, string> = {
  o: "overview",
  m: "messages",
  w: "waiting",
  c: "conversations",
  r: "reports",
  s: "websites",
  p: "people",
};

export const SHORTCUTS: [keys: string, does: string][] = [
  ["/", "Search"],
  [`g, then ${Object.keys(PAGES).join(" ")}`, Object.values(PAGES).join(", ")],
  ["j k", "The next row, the row before"],
  ["Enter", "Open the row"],
  ["[ ]", "The text before, the text after, to the same person"],
  ["t", "Charts as tables, and back"],
  ["c", "Copy the story"],
  ["← → PgUp PgDn Home End", "In a chart: through its columns"],
  ["Esc", "Close, or clear"],
  ["?", "This list"],
];

const SECOND_KEY_MILLISECONDS = 1500;

const find = (selector: string) => document.querySelector<HTMLElement>(selector);

/** Keys of one letter go somewhere or show something: none changes anything. */
const KEYS: Record<string, () => void> = {
  "/": () => (find("#search-messages") ?? find("#search"))?.focus(),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  "[": () => find("[data-key=before]")?.click(),
  "]": () => find("[data-key=after]")?.click(),
  c: () => find("[data-key=copy-story] button, button[data-key=copy-story]")?.click(),
  t: () => {
    for (const button of document.querySelectorAll<HTMLElement>(".chart-switch")) button.click();
  },
};

/** @returns what stops listening */
export function listenToKeys(onHelp: () => void): () => void {
  let goneAt = 0;
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    const page = Date.now() - goneAt < SECOND_KEY_MILLISECONDS ? PAGES[event.key] : undefined;
    goneAt = event.key === "g" ? Date.now() : 0;
    const act = page ? () => go(`#/${page}`) : event.key === "?" ? onHelp : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}

/** The first press takes the first row. */
function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>(".row-link")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
