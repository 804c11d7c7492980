// The title of the tab. While nobody sees the tab, it has how many things need somebody.

let words = "";
let needs = 0;

const write = () => {
  document.title = document.hidden && needs > 0 ? `(${needs}) ${words}` : words;
};

export function setTitle(title: string): void {
  words = title;
  write();
}

export function setNeeds(count: number): void {
  needs = count;
  write();
}

document.addEventListener("visibilitychange", write);
