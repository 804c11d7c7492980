interface Entry {
  address: string;
  name: string;
  /** Both as they are compared. */
  key: string;
  text: string;
}

const MOST_FOUND = 20;

/** In any spelling: `send_at` finds `sendAt`. */
const plain = (text: string) => text.toLowerCase().replaceAll(/[_-]/g, "");

/** Calls, fields, events, sections and error codes of both pages are found by all of the words that somebody types, those with a word in their name first. */
export function letFind(): void {
  const form = document.getElementById("find") as HTMLFormElement;
  const field = document.getElementById("words") as HTMLInputElement;
  const found = document.getElementById("found") as HTMLElement;
  const count = document.getElementById("found-count") as HTMLElement;
  let entries: Entry[] = [];
  const search = () => {
    const words = field.value.split(/\s+/).map(plain).filter(Boolean);
    const isIn = (text: string) => words.every((word) => text.includes(word));
    const fitting = words.length === 0 ? [] : entries.filter(({ key, text }) => isIn(`${key} ${text}`));
    const [named, others] = [fitting.filter(({ key }) => isIn(key)), fitting.filter(({ key }) => !isIn(key))];
    found.replaceChildren(...[...named, ...others].slice(0, MOST_FOUND).map(toItem));
    count.textContent = words.length === 0 ? "" : `${fitting.length} found`;
  };
  const begin = () => {
    entries = readEntries(document);
    loadOther((others) => {
      entries.push(...others);
      // Who is among the results already keeps them.
      if (document.activeElement === field) search();
    });
  };
  form.addEventListener("focusin", begin, { once: true });
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

function toItem({ address, name }: Entry): HTMLElement {
  const item = document.createElement("li");
  item.append(Object.assign(document.createElement("a"), { href: address, textContent: name }));
  return item;
}

/** The other page has codes and fields too, and who looks for one need not know on which page it stands. */
function loadOther(add: (others: Entry[]) => void): void {
  const link = document.querySelector<HTMLAnchorElement>(".pages a:not([aria-current])");
  if (!link) return;
  // The policy refuses DOMParser.
  const request = new XMLHttpRequest();
  request.open("GET", link.href);
  request.responseType = "document";
  request.addEventListener("load", () => {
    if (request.status !== 200 || !request.responseXML) return;
    const others = readEntries(request.responseXML);
    add(others.map((it) => ({ ...it, address: link.pathname + it.address, name: `${it.name} · ${link.textContent}` })));
  });
  request.send();
}

/** What has an address: calls first, then sections, then fields. */
function readEntries(page: Document): Entry[] {
  const all = (selector: string) => [...page.querySelectorAll<HTMLElement>(selector)];
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

const toEntry = (id: string, name: string, text: string): Entry => ({
  address: `#${id}`,
  name,
  key: plain(name),
  text: plain(text),
});
