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
  // Swagger UI makes tabs of what is no button.
  for (const tab of reference.querySelectorAll(".request-snippets .btn")) {
    tab.tabIndex = 0;
    tab.role = "button";
  }
  goToPlace();
}

reference.addEventListener("keydown", (event) => {
  if (!["Enter", " "].includes(event.key) || !event.target.matches("div[role=button]")) return;
  event.preventDefault();
  event.target.click();
});

new MutationObserver(mend).observe(reference, { childList: true, subtree: true });
