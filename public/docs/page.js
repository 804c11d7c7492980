// The page of /docs is Swagger UI: https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/. It asks no host but
// its own, and forgets credentials when it is closed.

const reference = document.getElementById("reference");

globalThis.SwaggerUIBundle({
  domNode: reference,
  url: reference.dataset.document,
  // Nobody else checks the document.
  validatorUrl: null,
  // Nothing in the address of the page changes what it shows or whom it asks.
  queryConfigEnabled: false,
  // A link in a button is nothing that a keyboard or a screen reader can use.
  deepLinking: false,
  // Every field stands with its call.
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 5,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Its colors are too pale to read.
  syntaxHighlight: false,
});

const dark = matchMedia("(prefers-color-scheme: dark)");
followSystem();
dark.addEventListener("change", followSystem);

function followSystem() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

/** Controls that Swagger UI leaves without a name, or gives another name than the one that is seen. */
const NAMES = [
  [".close-modal", () => "Close"],
  [".auth-container input", nameOfCredential],
  [".auth-btn-wrapper button[aria-label]", (button) => button.textContent],
  ["tr[data-param-name] select", (select) => select.closest("tr").dataset.paramName],
  [".examples-select-element", () => "Example"],
  [".body-param__text", () => "Request body"],
];

/** The header that has it, or the scheme. */
function nameOfCredential(input) {
  const box = input.closest(".auth-container");
  return (box.querySelector(".wrapper > p code") ?? box.querySelector("h4 code")).textContent;
}

/** The browser looks for the place in the address before Swagger UI has drawn it. */
let place = decodeURIComponent(location.hash.slice(1));

function goToPlace() {
  const target = place === "" ? null : document.getElementById(place);
  if (target === null) return;
  place = "";
  target.scrollIntoView();
}

function mend() {
  for (const [selector, nameOf] of NAMES) {
    for (const control of reference.querySelectorAll(selector)) control.setAttribute("aria-label", nameOf(control));
  }
  for (const input of reference.querySelectorAll(".auth-container input")) {
    input.autocomplete = "off";
    if (input.ariaLabel !== "X-Client-ID") input.type = "password";
  }
  // What does not fit scrolls by itself, also by the arrow keys.
  for (const wide of reference.querySelectorAll(".renderedMarkdown table, pre:not(.version)")) wide.tabIndex = 0;
  for (const link of reference.querySelectorAll("a[target]:is([href^='#'], [href^='/'])"))
    link.removeAttribute("target");
  goToPlace();
}

new MutationObserver(mend).observe(reference, { childList: true, subtree: true });
