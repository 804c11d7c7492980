const contents = document.getElementById("contents") as HTMLElement;

/** The contents mark the last place that began above the first third of the view. */
export function follow(): void {
  const links = [...contents.querySelectorAll<HTMLAnchorElement>("a")];
  const places = links.map((link) => document.getElementById(link.hash.slice(1)));
  let isDue = false;
  const mark = () => {
    isDue = false;
    const index = places.findLastIndex((place) => place && place.getBoundingClientRect().top < innerHeight / 3);
    for (const link of links) link.ariaCurrent = null;
    const current = links[Math.max(0, index)];
    if (!current) return;
    current.ariaCurrent = "true";
    // Only the list scrolls.
    contents.scrollTop += offBy(current.getBoundingClientRect(), contents.getBoundingClientRect());
  };
  const later = () => {
    if (!isDue) requestAnimationFrame(mark);
    isDue = true;
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later);
  contents.addEventListener("click", ({ target }) => {
    if ((target as Element).closest("a") && contents.matches(":popover-open")) contents.hidePopover();
  });
  addEventListener("hashchange", open);
  open();
  mark();
}

function offBy(link: DOMRect, list: DOMRect): number {
  if (link.top < list.top) return link.top - list.top;
  return Math.max(0, link.bottom - list.bottom);
}

/** A field may be in a list that is folded. Some browsers leave it so. */
function open(): void {
  const place = document.querySelector(":target");
  const folded: HTMLDetailsElement[] = [];
  for (let list = place?.closest("details"); list; list = list.parentElement?.closest("details")) folded.push(list);
  if (folded.every((list) => list.open)) return;
  for (const list of folded) list.open = true;
  place?.scrollIntoView();
}
