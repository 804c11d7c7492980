// What the pages of /docs do beyond what they say: they try calls, write programs with what is filled in, find words, and mark in the
// contents where the reader is. Credentials are in their fields only, until the page is closed.
import { follow } from "./browser-contents.ts";
import { letFind } from "./browser-find.ts";
import { execute, readRequest } from "./browser-try.ts";
import { PROGRAMS } from "./programs.ts";

const all = <T extends Element>(selector: string, place: ParentNode = document) => [
  ...place.querySelectorAll<T>(selector),
];

/** What a form holds, in the programs beside it. */
function writePrograms(form: HTMLFormElement): void {
  const request = readRequest(form);
  for (const program of all<HTMLElement>("pre[data-language]", form.parentElement ?? form)) {
    program.textContent = PROGRAMS[program.dataset.language ?? ""]?.(request) ?? "";
  }
}

for (const form of all<HTMLFormElement>("form.try")) {
  writePrograms(form);
  form.addEventListener("input", () => writePrograms(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void execute(form);
  });
  form.querySelector(".example")?.addEventListener("input", ({ target }) => {
    const body = form.querySelector("textarea");
    if (body) body.value = (target as HTMLSelectElement).value;
  });
}

document.addEventListener("input", ({ target }) => {
  const field = target as HTMLInputElement;
  // What is said once is said in each form, and the language of one call is that of all.
  if (field.dataset.credential) {
    for (const other of all<HTMLInputElement>(`[data-credential="${field.dataset.credential}"]`))
      other.value = field.value;
  }
  if (field.type === "radio") chooseLanguage(field);
});

/** The programs above change their heights: what was chosen stays where it is. */
function chooseLanguage(chosen: HTMLInputElement): void {
  const before = chosen.getBoundingClientRect().top;
  for (const other of all<HTMLInputElement>(`input[type=radio][value="${chosen.value}"]`)) other.checked = true;
  scrollBy(0, chosen.getBoundingClientRect().top - before);
}

document.addEventListener("click", ({ target }) => {
  const button = (target as Element).closest<HTMLButtonElement>(".copy");
  if (!button) return;
  const shown = all<HTMLElement>("pre", button.closest(".programs") ?? button).find((it) => it.checkVisibility());
  void navigator.clipboard?.writeText(shown?.textContent ?? "").then(() => {
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
});

follow();
letFind();
