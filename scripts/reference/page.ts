// The two pages of /docs: the OpenAPI document and sections of docs/, in the order in which their readers need them.
import { headerId, renderCall, renderList, type Surroundings, securityOf } from "./call.ts";
import { type Call, callsOf, type Document, isForOthers } from "./document.ts";
import { fieldsOf } from "./fields.ts";
import { html, type Markup } from "./html.ts";
import { anchorOf, anchorsIn, sectionOf, sectionsOf, toHtml } from "./markdown.ts";

export interface Page {
  title: string;
  lead: string;
  address: string;
  parts: Part[];
}

/** A heading of the second level, with what is below it: a text, calls, or both. */
interface Part {
  heading: string;
  id: string;
  markdown: string;
  calls: Call[];
  /** What all calls have: the headers of requests and answers, and the body of an error. */
  isOfAll?: true;
}

/** @param read a page of docs/, by its name */
export function pagesOf(document: Document, read: (name: string) => string): Page[] {
  const { title, summary, description } = document.info;
  const calls = callsOf(document);
  const named = (name: string, heading: string) => toPart(sectionOf(read(name), heading));
  const tagged = (some: Call[]) =>
    document.tags.flatMap(({ name, description: about }) => {
      const those = some.filter(({ tags = [] }) => tags.includes(name));
      return those.length === 0
        ? []
        : [{ heading: name, id: `${anchorOf(name)}-calls`, markdown: about, calls: those }];
    });
  const [own, others] = [calls.filter((call) => !isForOthers(call)), calls.filter(isForOthers)];
  const everyRequest: Part = { ...toPart(`## Every request\n${beginningOf(description)}`), isOfAll: true };
  const [ofOthers, ofClients] = divide(sectionsOf(description).map(toPart), ({ heading }) =>
    /of operators/.test(heading),
  );
  const [main, rest] = divide(tagged(own), ({ heading }) => ["Messages", "Subscriptions"].includes(heading));
  const clients = [
    ...[named("quick-start.md", "Credentials"), named("quick-start.md", "The first text")],
    ...main,
    { ...named("quick-start.md", "Callbacks and their signatures"), calls: own.filter(({ isEvent }) => isEvent) },
    ...[named("callbacks.md", "A signature by hand"), named("quick-start.md", "When it goes wrong")],
    ...[...ofClients, everyRequest],
    ...[named("carriers.md", "The sandbox"), named("quick-start.md", "Rehearse it"), ...rest],
  ];
  const operator = [
    ...sectionsOf(read("runbook.md")).map(toPart),
    ...[named("carriers.md", "How each carrier behaves"), named("procedures.md", "When a database fills")],
    ...[named("settings.md", "Change SERVICE_KEY"), named("monitoring.md", "Alerts")],
    ...[...tagged(others), ...ofOthers, { ...everyRequest, markdown: OF_OTHERS }],
  ];
  return [
    { title: `${title} API`, lead: `${summary}.`, address: "/docs", parts: clients },
    {
      title: `${title} API for the operator and for carriers`,
      lead: OF_OTHERS,
      address: "/docs/operator",
      parts: operator,
    },
  ];
}

const OF_OTHERS =
  "Each call of the operator carries `Authorization: Bearer` and the token. Each call of a carrier carries its signature or its key.";

const beginningOf = (markdown: string) => markdown.split(/^(?=## )/m)[0] ?? "";

function toPart(section: string): Part {
  const [heading = "", ...lines] = section.split("\n");
  const name = heading.replace(/^## /, "");
  return { heading: name, id: anchorOf(name), markdown: lines.join("\n"), calls: [] };
}

function divide<T>(all: T[], isFirst: (it: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((it) => !isFirst(it))];
}

const NAMES = [
  ["/docs", "For clients"],
  ["/docs/operator", "For operators"],
] as const;

export function renderPage(page: Page, pages: Page[], document: Document): string {
  const places = placesOf(page, pages);
  const security = new Set(page.parts.flatMap(({ calls }) => calls.flatMap(securityOf)));
  const surroundings = { document, places, security };
  return `${
    html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/page.js" type="module"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
<button type="button" class="menu" popovertarget="contents">Contents</button>
<nav class="pages" aria-label="Pages">${NAMES.map(
      ([address, name]) =>
        html`<a href="${address}"${address === page.address && html` aria-current="page"`}>${name}</a>`,
    )}</nav>
<search><form id="find"><label class="unseen" for="words">Find a call, a field or an error code</label><input id="words" type="search" placeholder="Find a call, a field or an error code" autocomplete="off" spellcheck="false"><output id="found-count" for="words"></output><ul id="found"></ul></form></search>
</header>
<nav id="contents" popover aria-label="Contents"><ul>${page.parts.map(renderContents)}</ul></nav>
<main id="main" tabindex="-1">
<h1>${page.title}</h1>
<div class="lead">${toHtml(page.lead, places)}<p><a href="/openapi.json">The OpenAPI document</a> · <a href="${document.externalDocs.url}">${document.externalDocs.description}</a></p></div>
${page.parts.map((part) => renderPart(part, surroundings))}
</main>
</body>
</html>
`.text
  }`;
}

/** What stands on both pages is read on this one. */
function placesOf(page: Page, pages: Page[]): Surroundings["places"] {
  const there = pages.flatMap(({ address, parts }) =>
    parts.flatMap(idsOf).map((id) => [id, `${address}#${id}`] as const),
  );
  return new Map([...there, ...page.parts.flatMap(idsOf).map((id) => [id, `#${id}`] as const)]);
}

const idsOf = ({ id, markdown, calls }: Part) => [
  id,
  ...anchorsIn(markdown),
  ...calls.map(({ operationId }) => operationId),
];

const renderContents = ({ heading, id, calls }: Part) =>
  html`<li><a href="#${id}">${heading}</a>${
    calls.length > 0 &&
    html`<ul>${calls.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul>`
  }</li>`;

function renderPart({ heading, id, markdown, calls, isOfAll }: Part, page: Surroundings): Markup {
  return html`<section class="part">
<div class="prose" id="${id}"><h2><a href="#${id}">${heading}</a></h2>
${toHtml(markdown, page.places)}
${isOfAll && renderOfAll(page)}</div>
${calls.map((call) => renderCall(call, page))}
</section>`;
}

function renderOfAll(page: Surroundings): Markup {
  const { securitySchemes, headers, responses } = page.document.components;
  const schemes = Object.entries(securitySchemes).filter(([scheme]) => page.security.has(scheme));
  const credentials = schemes.map(
    ([, { name = "Authorization", description }]) =>
      html`<dt><code>${name}</code></dt><dd>${toHtml(description, page.places)}</dd>`,
  );
  const answers = Object.entries(headers).map(
    ([name, { description, example }]) =>
      html`<dt id="${headerId(name)}"><code>${name}</code></dt><dd>${toHtml(description, page.places)}<p>Such as <code>${example}</code></p></dd>`,
  );
  const schema = Object.values(responses)[0]?.content?.["application/json"]?.schema;
  return html`${renderHeading("Headers of requests")}<dl>${credentials}</dl>
${renderHeading("Headers of answers")}<dl>${answers}</dl>
${renderHeading("Body of an error")}${schema && renderList("error", fieldsOf(page.document, schema), page)}`;
}

const renderHeading = (name: string) => html`<h3 id="${anchorOf(name)}"><a href="#${anchorOf(name)}">${name}</a></h3>`;
