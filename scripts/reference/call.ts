// A call in the page: what it does, how to make it and to try it, and its fields.
import {
  type Call,
  type Document,
  follow,
  type Media,
  type Parameter,
  type Response,
  type Schema,
} from "./document.ts";
import { type Field, fieldOf, fieldsOf } from "./fields.ts";
import { html, type Markup } from "./html.ts";
import { toHtml } from "./markdown.ts";
import { CREDENTIALS, PROGRAMS, type Request } from "./programs.ts";

/** What a call needs of its page. */
export interface Surroundings {
  document: Document;
  /** The addresses of the ids that a link can lead to. */
  places: ReadonlyMap<string, string>;
  /** The names of the credentials that its calls take. */
  security: ReadonlySet<string>;
}

/** A host of the documentation, until the browser puts the page's own origin in its place. */
const ORIGIN = "https://sms.example.com";

/** Paragraphs of a description before the form: with more, one would scroll to it. */
const FIRST_PARAGRAPHS = 2;

export function renderCall(call: Call, page: Surroundings): Markup {
  const { operationId: id, summary, method, path, isEvent } = call;
  const paragraphs = call.description.split("\n\n");
  const [first, rest] = [paragraphs.slice(0, FIRST_PARAGRAPHS), paragraphs.slice(FIRST_PARAGRAPHS)];
  return html`
<section class="call" id="${id}" aria-labelledby="${id}-name">
<div class="about">
<h3 id="${id}-name"><a href="#${id}">${summary}</a></h3>
<p class="line"><b>${isEvent ? "Event" : method}</b> <code>${path}</code></p>
${toHtml(first.join("\n\n"), page.places)}
</div>
<div class="aside">
${isEvent || isSigned(call) ? "" : renderTry(call)}
${isEvent ? "" : renderPrograms(call)}
${renderExamples(call)}
</div>
<div class="fields">
${toHtml(rest.join("\n\n"), page.places)}
${renderRequest(call, page)}
${Object.entries(call.responses).map(([status, it]) => !it.$ref && renderResponse(call, status, it, page))}
${renderErrors(call, page)}
</div>
</section>`;
}

/** A carrier signs its calls, so nobody tries one by hand. */
const isSigned = ({ path }: Call) => path.startsWith("/carriers/");

const bodyOf = ({ requestBody }: Call): [type: string, media: Media] | undefined =>
  Object.entries(requestBody?.content ?? {})[0];

const toText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** The texts of the examples of a body, by name. */
function examplesOf({ example, examples = {} }: Media): [name: string, text: string][] {
  const named = Object.entries(examples).map(([name, { value }]) => [name, toText(value)] as [string, string]);
  return example === undefined ? named : [["example", toText(example)], ...named];
}

export const securityOf = ({ security }: Call) => security.flatMap((scheme) => Object.keys(scheme));

/** The request of the first example. */
function requestOf(call: Call): Request {
  const { operationId: id, method, parameters = [] } = call;
  const [type, media] = bodyOf(call) ?? [];
  const given = parameters.filter(({ example }) => example !== undefined);
  const query = given.filter((parameter) => parameter.in === "query");
  const path = given.reduce((filled, { name, example = "" }) => filled.replace(`{${name}}`, example), call.path);
  const search = new URLSearchParams(query.map(({ name, example = "" }) => [name, example])).toString();
  return {
    ...{ id, method, origin: ORIGIN, security: securityOf(call) },
    path: search === "" ? path : `${path}?${search}`,
    headers: type ? [["Content-Type", type]] : [],
    body: media && (examplesOf(media)[0]?.[1] ?? ""),
  };
}

function renderPrograms(call: Call): Markup {
  const programs = Object.entries(PROGRAMS).flatMap(([name, write]) => {
    const text = write(requestOf(call));
    return text === undefined ? [] : [{ name, text }];
  });
  return html`<fieldset class="programs"><legend class="unseen">Code</legend>
<div class="languages">${programs.map(
    ({ name }, index) =>
      html`<label><input type="radio" name="code-${call.operationId}" value="${name}"${index === 0 && html` checked`}>${name}</label>`,
  )}<button type="button" class="copy">Copy</button></div>
${programs.map(({ name, text }) => html`<pre data-language="${name}"><code>${text}</code></pre>`)}
</fieldset>`;
}

function renderTry(call: Call): Markup {
  const { operationId: id, method, path, parameters = [] } = call;
  const security = securityOf(call);
  const [type, media] = bodyOf(call) ?? [];
  const isMain = (parameter: Parameter) => parameter.in !== "header" && (parameter.required || parameters.length < 4);
  const [main, others] = [parameters.filter(isMain), parameters.filter((parameter) => !isMain(parameter))];
  return html`<form class="try" aria-label="Try: ${call.summary}" data-id="${id}" data-method="${method}" data-path="${path}" data-type="${type}" data-security="${security.join(" ")}">
${main.map(renderInput)}
${media && renderBody(media)}
<div class="credentials">${security.map(renderCredential)}</div>
${others.length > 0 && html`<details><summary>More: ${others.map(({ name }) => name).join(", ")}</summary>${others.map(renderInput)}</details>`}
<button class="execute">Execute</button>
<div class="answer" role="status"></div>
</form>`;
}

/** Without a name: nothing of the form is ever in an address. */
const renderInput = ({ name, in: place, required, schema, example }: Parameter) =>
  html`<label>${name}${required ? "" : html` <i>optional</i>`}${
    schema.enum
      ? html`<select data-in="${place}" data-name="${name}"><option></option>${schema.enum.map((value) => html`<option>${String(value)}</option>`)}</select>`
      : html`<input data-in="${place}" data-name="${name}" value="${example}" autocomplete="off" spellcheck="false"${required && html` required`}>`
  }</label>`;

const renderCredential = (scheme: string) =>
  html`<label>${scheme === "Operator" ? "Token" : CREDENTIALS[scheme]?.header}<input data-credential="${scheme}" type="${scheme === "ClientId" ? "text" : "password"}" autocomplete="off" spellcheck="false"></label>`;

function renderBody(media: Media): Markup {
  const examples = examplesOf(media);
  const [, first = ""] = examples[0] ?? [];
  const rows = Math.min(10, Math.max(3, first.split("\n").length));
  return html`${examples.length > 1 && html`<label>Example<select class="example">${examples.map(([name, text]) => html`<option value="${text}">${name}</option>`)}</select></label>`}
<label>Request body<textarea rows="${rows}" spellcheck="false" autocomplete="off">${first}</textarea></label>`;
}

/** What comes back, or what an event posts. */
function renderExamples(call: Call): Markup[] {
  const ofEvent = call.isEvent ? Object.entries(call.requestBody?.content ?? {}) : [];
  const answers = Object.entries(call.responses).filter(([, response]) => !response.$ref);
  const ofAnswers = answers.flatMap(([status, response]) =>
    Object.entries(response.content ?? {}).map(([type, media]) => [`Answer ${status}, ${type}`, media] as const),
  );
  const headers = call.isEvent ? (call.parameters ?? []).map(({ name, example = "" }) => `${name}: ${example}`) : [];
  return [...ofEvent.map(([, media]) => ["Posted", media] as const), ...ofAnswers].flatMap(([title, media]) =>
    examplesOf(media).map(([, text]) => {
      const shown = [...headers, ...(headers.length > 0 ? [""] : []), text].join("\n");
      return html`<figure><figcaption>${title}</figcaption><pre><code>${shown}</code></pre></figure>`;
    }),
  );
}

function renderRequest(call: Call, page: Surroundings): Markup {
  const { operationId: id, parameters = [], requestBody, isEvent } = call;
  const [type, media] = bodyOf(call) ?? [];
  const fields = media?.schema ? fieldsOf(page.document, media.schema) : [];
  const places = { path: "In the path", query: "In the query", header: "Headers" } as const;
  return html`${Object.entries(places).map(([place, title]) => {
    const some = parameters.filter((parameter) => parameter.in === place);
    return (
      some.length > 0 &&
      renderFields(
        title,
        id,
        some.map((parameter) => fieldOf(page.document, parameter)),
        page,
      )
    );
  })}
${requestBody && html`<h4>${isEvent ? "Body" : `Request body, ${type}`}</h4>${requestBody.description && toHtml(requestBody.description, page.places)}`}
${fields.length > 0 && renderList(id, fields, page)}`;
}

const renderFields = (title: string, id: string, fields: Field[], page: Surroundings) =>
  html`<h4>${title}</h4>${renderList(id, fields, page)}`;

export const renderList = (id: string, fields: Field[], page: Surroundings): Markup =>
  html`<ul class="list">${fields.map((field) => renderField(id, field, page))}</ul>`;

function renderField(id: string, field: Field, page: Surroundings): Markup {
  const { path, name, type, isRequired, about, values, standard, children } = field;
  return html`<li id="${id}.${path}"><p class="name"><code>${name}</code> <span>${type}</span>${isRequired && html` <b>required</b>`}</p>
${about !== "" && toHtml(about, page.places)}
${values.length > 0 && html`<p class="values">${values.map((value) => html`<code>${value}</code> `)}</p>`}
${standard !== undefined && html`<p>By default <code>${standard}</code>.</p>`}
${children.length > 0 && html`<details><summary>Fields of ${name}</summary>${renderList(id, children, page)}</details>`}
</li>`;
}

function renderResponse(call: Call, status: string, response: Response, page: Surroundings): Markup {
  const { description, headers = {}, content = {} } = response;
  const schemas = Object.values(content).flatMap(({ schema }) => schema ?? []);
  const fields = schemas.flatMap((schema: Schema) => fieldsOf(page.document, schema));
  const id = `${call.operationId}.${status}`;
  const names = Object.keys(headers);
  return html`<h4>${status === "default" ? "Your answer" : `Answer ${status}`}</h4>${toHtml(description, page.places)}
${names.length > 0 && html`<p>Headers: ${names.map((name, index) => html`${index > 0 && ", "}<a href="#${headerId(name)}">${name}</a>`)}</p>`}
${fields.length > 0 && html`<details><summary>Fields of the answer</summary>${renderList(id, fields, page)}</details>`}`;
}

export const headerId = (name: string) => `header-${name.toLowerCase()}`;

/** A code that a client can get is on the page of clients. */
function renderErrors({ responses }: Call, { document, places }: Surroundings): Markup {
  const errors = Object.values(responses).filter(({ $ref }) => $ref);
  const media = errors.flatMap((response) => Object.values(follow(document, response).content ?? {}));
  const items = media.flatMap(({ examples = {} }) =>
    Object.entries(examples).map(([code, { summary = "" }]) => {
      return html`<li><a href="${places.get(code)}">${code}</a> ${toHtml(summary, places)}</li>`;
    }),
  );
  return html`${items.length > 0 && html`<h4>Errors</h4><ul class="errors">${items}</ul>`}`;
}
