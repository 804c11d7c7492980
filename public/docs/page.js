// The page of /docs is Swagger UI: https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration/. It asks no host but
// its own, and forgets credentials when it is closed.

const reference = document.getElementById("reference");

const swagger = globalThis.SwaggerUIBundle({
  domNode: reference,
  url: reference.dataset.document,
  // Nobody else checks the document.
  validatorUrl: null,
  // Nothing in the address of the page changes what it shows or whom it asks.
  queryConfigEnabled: false,
  // A link in a button is nothing that a keyboard or a screen reader can use. Below, each place has an address of its own.
  deepLinking: false,
  // Every field stands with its call.
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 5,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Its colors are too pale to read.
  syntaxHighlight: false,
  // What was sent, as a program sends it.
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: "curl", syntax: "bash" },
      node: { title: "Node", syntax: "javascript" },
      python: { title: "Python", syntax: "python" },
    },
    languages: ["curl_bash", "node", "python"],
  },
  plugins: [{ fn: { requestSnippetGenerator_node: nodeOf, requestSnippetGenerator_python: pythonOf } }],
  onComplete: () => letFind(swagger.specSelectors.specJson().toJS()),
});

/** @param request what was sent: a Map of Immutable. Strings of JSON are strings of JavaScript, and of Python, too. */
function partsOf(request) {
  const body = request.get("body");
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const headers = JSON.stringify(request.get("headers")?.toJS() ?? {}, null, 2);
  return {
    url: JSON.stringify(request.get("url")),
    method: JSON.stringify(request.get("method")),
    headers,
    body: text,
  };
}

/** A body in lines of its own is one string in the program. */
const literalOf = (body) => JSON.stringify(JSON.stringify(parse(body)) ?? body);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function nodeOf(request) {
  const { url, method, headers, body } = partsOf(request);
  const fields = [`method: ${method}`, `headers: ${indent(headers)}`, ...(body ? [`body: ${literalOf(body)}`] : [])];
  return [
    `const response = await fetch(${url}, {`,
    ...fields.map((field) => `  ${field},`),
    "});",
    "console.log(response.status, await response.text());",
  ].join("\n");
}

function pythonOf(request) {
  const { url, method, headers, body } = partsOf(request);
  const fields = [
    `method=${method}`,
    `headers=${indent(headers)}`,
    ...(body ? [`data=${literalOf(body)}.encode()`] : []),
  ];
  return [
    "import urllib.error, urllib.request",
    "",
    `request = urllib.request.Request(${url},`,
    `${fields.map((field) => `  ${field}`).join(",\n")})`,
    "try:",
    "    response = urllib.request.urlopen(request)",
    "except urllib.error.HTTPError as refusal:",
    "    response = refusal",
    "print(response.status, response.read().decode())",
  ].join("\n");
}

function indent(text) {
  return text.replaceAll("\n", "\n  ");
}

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

/** The id of the place that the address names, until the place is drawn: the browser looks for it before that. */
let place = "";

function goTo(id) {
  place = id;
  if (id === "" || document.getElementById(id)) return goToPlace();
  // The call may be in a group that somebody has closed.
  for (const group of reference.querySelectorAll(".opblock-tag[data-is-open=false]")) group.click();
}

/** A call is opened, and the keyboard goes on from the place. */
function goToPlace() {
  const target = place === "" ? null : document.getElementById(place);
  if (target === null) return;
  place = "";
  const control = target.querySelector(":scope > .opblock-summary .opblock-summary-control");
  if (control?.ariaExpanded === "false") control.click();
  if (control === null) target.tabIndex = -1;
  (control ?? target).focus({ preventScroll: true });
  target.scrollIntoView();
  kept = target;
  keepOn();
}

/**
 * Swagger UI draws on, for example the body of a call that was opened: the place stays in view until that has ended, or until somebody
 * does something.
 */
let kept = null;
/** After the last that was drawn. */
const KEPT_MILLISECONDS = 2000;
let keeping;

function keepOn() {
  clearTimeout(keeping);
  keeping = setTimeout(() => (kept = null), KEPT_MILLISECONDS);
}

addEventListener("scroll", () => kept?.scrollIntoView());
new ResizeObserver(() => {
  if (kept === null) return;
  kept.scrollIntoView();
  keepOn();
}).observe(reference);

for (const act of ["keydown", "pointerdown", "wheel"])
  addEventListener(act, () => (kept = null), { capture: true, passive: true });

function idIn(hash) {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return "";
  }
}

addEventListener("hashchange", () => goTo(idIn(location.hash)));
document.addEventListener("click", ({ target }) => {
  const link = target.closest("a[href^='#']");
  if (link) goTo(idIn(link.hash));
  // Whoever opens a call can copy its address.
  const call = target.closest(".opblock-summary-control")?.closest(".opblock");
  if (call) history.replaceState(null, "", `#${call.id}`);
});
goTo(idIn(location.hash));

const MOST_FOUND = 20;
const form = document.getElementById("find");
const found = document.getElementById("found");
const count = document.getElementById("found-count");

/** Calls, events, sections and error codes are found by all of the words that somebody types, those with a word in their name first. */
function letFind(spec) {
  const entries = [...sectionsOf(reference), ...callsOf(spec)];
  const search = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isIn = (text) => words.every((word) => text.toLowerCase().includes(word));
    const fitting = words.length === 0 ? [] : entries.filter(({ name, text }) => isIn(`${name} ${text}`));
    const [named, others] = [fitting.filter(({ name }) => isIn(name)), fitting.filter(({ name }) => !isIn(name))];
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
    form.elements.words.focus();
    search();
  });
  search();
}

function toItem({ id, name }) {
  const link = Object.assign(document.createElement("a"), { href: `#${id}`, textContent: name });
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/** The name of an error code tells what it means, too. */
function sectionsOf(page) {
  return [...page.querySelectorAll(".info :is(h2, h3)[id]")].map((heading) => {
    const texts = [];
    for (let next = heading.nextElementSibling; next && !next.matches("h2, h3"); next = next.nextElementSibling)
      texts.push(next.textContent);
    const text = texts.join(" ");
    const isCode = /^\d{5}$/.test(heading.id);
    return {
      id: heading.id,
      name: isCode ? `${heading.id}: ${text.split(/\.(?:\s|$)/)[0]}` : heading.textContent,
      text,
    };
  });
}

/** What is looked through of a call: its words, and the fields of its request. */
function callsOf({ paths, webhooks = {}, components }) {
  const all = [
    ...Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, call]) => ({
        call,
        group: call.tags[0],
        line: `${method.toUpperCase()} ${path}`,
      })),
    ),
    ...Object.entries(webhooks).flatMap(([type, item]) =>
      Object.values(item).map((call) => ({ call, group: "webhooks", line: type })),
    ),
  ];
  return all.map(({ call, group, line }) => {
    const { operationId, summary, description, parameters, requestBody } = call;
    const request = JSON.stringify([parameters, requestBody]);
    const schemas = [...request.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => components.schemas[name]);
    return {
      id: `operations-${group.replaceAll(" ", "_")}-${operationId}`,
      name: `${line}: ${summary}`,
      text: `${operationId} ${description} ${request} ${JSON.stringify(schemas)}`,
    };
  });
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
  // Swagger UI makes tabs of what is no button.
  for (const tab of reference.querySelectorAll(".request-snippets .btn")) {
    tab.tabIndex = 0;
    tab.role = "button";
  }
  goToPlace();
  kept?.scrollIntoView();
}

reference.addEventListener("keydown", (event) => {
  if (!["Enter", " "].includes(event.key) || !event.target.matches("div[role=button]")) return;
  event.preventDefault();
  event.target.click();
});

new MutationObserver(mend).observe(reference, { childList: true, subtree: true });
