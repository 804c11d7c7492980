interface Entry {
  id: string;
  name: string;
  /** Both as they are compared. */
  key: string;
  text: string;
}

const MOST_FOUND = 20;

/** In any spelling: `send_at` finds `sendAt`. */
const plain = (text: string) => text.toLowerCase().replaceAll(/[_-]/g, "");

/** Calls, fields, events, sections and error codes are found by all of the words that somebody types, those with a word in their name first. */
export function letFind(): void {
  const form = document.getElementById("find") as HTMLFormElement;
  const field = document.getElementById("words") as HTMLInputElement;
  const found = document.getElementById("found") as HTMLElement;
  const count = document.getElementById("found-count") as HTMLElement;
  let entries: Entry[] | undefined;
  const search = () => {
    entries ??= readEntries();
    const words = field.value.split(/\s+/).map(plain).filter(Boolean);
    const isIn = (text: string) => words.every((word) => text.includes(word));
    const fitting = words.length === 0 ? [] : entries.filter(({ key, text }) => isIn(`${key} ${text}`));
    const [named, others] = [fitting.filter(({ key }) => isIn(key)), fitting.filter(({ key }) => !isIn(key))];
    found.replaceChildren(...[...named, ...others].slice(0, MOST_FOUND).map(toItem));
    count.textContent = words.length === 0 ? "" : `${fitting.length} found`;
  };
  form.addEventListener("input", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  form.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    form.reset();
    field.focus();
    search();
  });
  found.addEventListener("click", () => (document.activeElement as HTMLElement | null)?.blur());
  addEventListener("keydown", (event) => {
    const isTyping = (event.target as Element).closest?.("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

function toItem({ id, name }: Entry): HTMLElement {
  const item = document.createElement("li");
  item.append(Object.assign(document.createElement("a"), { href: `#${id}`, textContent: name }));
  return item;
}

/** What has an address: calls first, then sections, then fields. */
function readEntries(): Entry[] {
  const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
  const calls = all("section.call").map((call) => {
    const words = (selector: string) => call.querySelector(selector)?.textContent?.trim() ?? "";
    return toEntry(call.id, `${words(".line")}: ${words("h3")}`, `${call.id} ${call.textContent}`);
  });
  const fields = all(".list > li").map((field) => {
    const name = field.id.slice(field.id.indexOf(".") + 1);
    const call = field.closest("section")?.querySelector("h3")?.textContent;
    return toEntry(field.id, `${name}: ${call}`, field.textContent ?? "");
  });
  return [...calls, ...all(".prose :is(h2, h3), .prose dt").map(ofHeading), ...fields];
}

/** The name of an error code tells what it means, too. */
function ofHeading(heading: HTMLElement): Entry {
  const texts: string[] = [];
  for (let next = heading.nextElementSibling; next && !next.matches("h2, h3, dt"); next = next.nextElementSibling)
    texts.push(next.textContent ?? "");
  const id = heading.id || (heading.parentElement?.id ?? "");
  const text = texts.join(" ");
  const isCode = /^\d{5}$/.test(id);
  return toEntry(id, isCode ? `${id}: ${text.split(/\.(?:\s|$)/)[0]}` : (heading.textContent ?? ""), text);
}

const toEntry = (id: string, name: string, text: string): Entry => ({ id, name, key: plain(name), text: plain(text) });
