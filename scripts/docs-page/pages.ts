import { type Call, type Document, listCalls } from "./document.ts";
import { writeFields } from "./fields.ts";
import { html, Markup } from "./html.ts";
import { sectionOf, toInline, toMarkup } from "./markdown.ts";
import { writeCall, writeEvent } from "./operation.ts";

/** What a client's engineer reads first, from the pages of docs/. */
const QUICK_START = [
  ["quick-start.md", "Credentials"],
  ["quick-start.md", "The first text"],
  ["carriers.md", "The sandbox"],
  ["quick-start.md", "Callbacks and their signatures"],
  ["quick-start.md", "When it goes wrong"],
  ["quick-start.md", "Rehearse it"],
] as const;

interface Part {
  id: string;
  title: string;
  entries: { id: string; title: string }[];
  content: Markup;
}

interface Page {
  title: string;
  about: string;
  other: Markup;
  parts: Part[];
}

/** @param read a page of docs/, by its name */
export function writePages(document: Document, read: (name: string) => string): { client: string; operator: string } {
  const calls = Map.groupBy(listCalls(document), audienceOf);
  const groups = (audience: Audience) => group(document, calls.get(audience) ?? []);
  const { title, summary } = document.info;
  const client: Page = {
    title: `${title} API`,
    about: summary,
    other: html`<a href="/docs/operator">For the operator and for carriers</a>`,
    parts: [
      quickStart(read),
      rules(document),
      ...groups("client"),
      events(document),
      ...groups("anyone"),
      headers(document),
    ],
  };
  const operator: Page = {
    title: `${title} API for the operator and for carriers`,
    about: "What the operator of the service calls, and what carriers call",
    other: html`<a href="/docs">For clients</a>`,
    parts: [token(document), ...groups("operator"), ...groups("carrier"), headers(document)],
  };
  return { client: writePage(client), operator: writePage(operator) };
}

type Audience = "client" | "operator" | "carrier" | "anyone";

function audienceOf({ path, security = [] }: Call): Audience {
  if (path.startsWith("/carriers/")) return "carrier";
  if (security.length === 0) return "anyone";
  return security.some((scheme) => "Operator" in scheme) ? "operator" : "client";
}

function quickStart(read: (name: string) => string): Part {
  const sections = QUICK_START.map(([name, heading]) => toMarkup(sectionOf(read(name), heading), 1));
  const [credentials, ...others] = sections;
  return part("quick-start", "Quick start", html`${credentials}${clientForm()}${others}`);
}

/** What holds for all calls; the statuses and the errors. */
function rules(document: Document): Part {
  const [error] = Object.values(document.components.responses);
  const schema = error?.content?.["application/json"]?.schema ?? {};
  const fields = html`<h3 id="error-body">The body of an error</h3>${writeFields(document, schema)}`;
  return part("rules", "Every request", html`${toMarkup(document.info.description, 1)}${fields}`);
}

function group(document: Document, calls: Call[]): Part[] {
  return document.tags.flatMap(({ name, description }) => {
    const own = calls.filter(({ tags = [] }) => tags.includes(name));
    if (own.length === 0) return [];
    const written = own.map((call) => writeCall(document, call));
    return [
      part(`tag-${name.toLowerCase().replaceAll(" ", "-")}`, name, html`<p>${toInline(description)}</p>${written}`),
    ];
  });
}

function events(document: Document): Part {
  const written = Object.entries(document.webhooks).flatMap(([name, item]) =>
    Object.values(item).map((event) => writeEvent(document, name, event)),
  );
  return part("callbacks", "Callbacks", html`<p>What the service posts to the client's callback URL.</p>${written}`);
}

function headers({ components }: Document): Part {
  const rows = Object.entries(components.headers).map(
    ([name, { description, example }]) =>
      html`<dt id="header-${name.toLowerCase()}"><code>${name}</code></dt><dd><p>${toInline(description)}${example !== undefined && html` Such as <code>${example}</code>.`}</p></dd>`,
  );
  return part("headers", "Headers of responses", html`<dl class="fields">${rows}</dl>`);
}

function clientForm(): Markup {
  return html`<form class="credentials" aria-label="Your credentials" hidden>
<p>For the calls that you try on this page. The page keeps them until you close it, and sends them to nobody but this service.</p>
<p><label for="client-id">X-Client-ID</label>
<input id="client-id" data-header="X-Client-ID" autocomplete="off" spellcheck="false"></p>
<p><label for="client-secret">X-Client-Secret</label>
<input id="client-secret" data-header="X-Client-Secret" type="password" autocomplete="off"></p>
</form>
`;
}

function token({ components }: Document): Part {
  const form = html`<p>Each call of the operator carries <code>Authorization: Bearer</code> and the token: ${toInline(components.securitySchemes.Operator?.description ?? "")}</p>
<form class="credentials" aria-label="Your token" hidden>
<p>For the calls that you try on this page. The page keeps it until you close it, and sends it to nobody but this service.</p>
<p><label for="operator-token">Token</label>
<input id="operator-token" data-header="Authorization" data-prefix="Bearer " type="password" autocomplete="off"></p>
</form>
`;
  return part("credentials", "Credentials", form);
}

/** Its headings of the third level are the entries of the contents. */
function part(id: string, title: string, content: Markup): Part {
  const headings = content.text.matchAll(/<h3 id="([^"]+)">(.*?)<\/h3>/g);
  return {
    id,
    title,
    content,
    entries: [...headings].map(([, at = "", heading = ""]) => ({ id: at, title: heading })),
  };
}

function writePage({ title, about, other, parts }: Page): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/page.js" defer></script>
</head>
<body>
<a class="skip" href="#reference">Skip to the content</a>
<header>
<h1>${title}</h1>
<p>${about}. ${other}. The <a href="/openapi.json">OpenAPI document</a>.</p>
<noscript><p>Without JavaScript, this page is to be read only: calls cannot be tried.</p></noscript>
</header>
<nav aria-label="Contents">
<details>
<summary>Contents</summary>
<ul>${parts.map(writeEntry)}</ul>
</details>
</nav>
<main id="reference" tabindex="-1">
${parts.map(
  ({ id, title, content }) => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}</section>
`,
)}</main>
</body>
</html>
`;
  return withLinksInPage(page.text);
}

function writeEntry({ id, title, entries }: Part): Markup {
  const inner = entries.map((entry) => html`<li><a href="#${entry.id}">${new Markup(entry.title)}</a></li>`);
  return html`<li><a href="#${id}">${title}</a>${inner.length > 0 && html`<ul>${inner}</ul>`}</li>`;
}

/** A link between the pages of docs/ leads to its section on this page; where the page has none, its text stays. */
function withLinksInPage(page: string): string {
  return page.replaceAll(
    /<a href="(?!https?:|\/|#)([^"#]*)(?:#([^"]*))?">(.*?)<\/a>/g,
    (_, _path, id: string | undefined, text: string) =>
      id !== undefined && page.includes(`id="${id}"`) ? `<a href="#${id}">${text}</a>` : text,
  );
}
