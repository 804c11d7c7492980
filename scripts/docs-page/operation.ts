import {
  type Call,
  type Content,
  type Document,
  type Operation,
  type Parameter,
  type Response,
  resolve,
} from "./document.ts";
import { writeFields, writeType } from "./fields.ts";
import { html, type Markup } from "./html.ts";
import { toInline, toMarkup } from "./markdown.ts";
import { canBeTried, toText, writeForm } from "./try-it.ts";

/** What a request carries, by its scheme: a header, and what curl sends in it. */
const CREDENTIALS: Record<string, string[]> = {
  ClientId: ["-H 'X-Client-ID: <id>'"],
  ClientSecret: ["-H 'X-Client-Secret: <secret>'"],
  Operator: ["-H 'Authorization: Bearer <token>'"],
};

export function writeCall(document: Document, call: Call): Markup {
  const { operationId: id, method, path, responses } = call;
  return html`<section class="call" aria-labelledby="${id}">
<h3 id="${id}">${call.summary}</h3>
<p class="address"><strong>${method}</strong> <code>${path}</code></p>
${writeRequest(document, call)}
${
  canBeTried(call) &&
  html`<h4>With curl</h4>
<pre>${toCurl(call)}</pre>`
}
<h4>Responses</h4>
${Object.entries(responses).map(([status, response]) => writeResponse(document, status, resolve(document, response)))}
${canBeTried(call) && writeForm(call)}
</section>
`;
}

/** What the service posts to a client. */
export function writeEvent(document: Document, name: string, event: Operation): Markup {
  const { operationId: id } = event;
  return html`<section class="call" aria-labelledby="${id}">
<h3 id="${id}">${event.summary}</h3>
<p class="address"><strong>POST</strong> <code>${name}</code></p>
${writeRequest(document, event)}
${Object.values(event.requestBody?.content ?? {}).map((content) => writeExample("Example", content))}
</section>
`;
}

function writeRequest(document: Document, { description, parameters = [], requestBody }: Operation): Markup {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const fields = content?.schema && type === "application/json" && writeFields(document, content.schema);
  return html`${description !== undefined && toMarkup(description, 3)}
${
  parameters.length > 0 &&
  html`<h4>Parameters</h4>
<dl class="fields">${parameters.map((parameter) => writeParameter(document, parameter))}</dl>`
}
${
  requestBody &&
  html`<h4>Body <span class="type">${Object.keys(requestBody.content).join(", ")}</span></h4>
${requestBody.description !== undefined && toMarkup(requestBody.description, 3)}${fields}`
}`;
}

function writeParameter(document: Document, { name, in: place, required, description, schema }: Parameter): Markup {
  return html`<dt><code>${name}</code> <span class="type">${place}</span> ${writeType(document, schema)}${required && html` <strong>required</strong>`}</dt>
<dd>${description !== undefined && html`<p>${toInline(description)}</p>`}</dd>
`;
}

/** What goes wrong is folded: its codes are in the table of errors. */
function writeResponse(document: Document, status: string, response: Response): Markup {
  const { description, headers = {}, content = {} } = response;
  const names = Object.keys(headers);
  const about = html`${toMarkup(description, 4)}
${names.length > 0 && html`<p>Headers: ${names.map((name, index) => html`${index > 0 && ", "}<a href="#header-${name.toLowerCase()}"><code>${name}</code></a>`)}.</p>`}`;
  const codes = [...description.matchAll(/^- (\d{5}):/gm)].map(([, code]) => code).join(", ");
  if (codes !== "")
    return html`<details><summary>${status} <span class="type">${codes}</span></summary>${about}</details>`;
  const forms = Object.entries(content).map(([type, form]) => writeContent(document, type, form));
  return html`<h5>${status}</h5>
${about}${forms}`;
}

function writeContent(document: Document, type: string, content: Content): Markup {
  return html`${content.schema && writeFields(document, content.schema)}${writeExample(`Example (${type})`, content)}`;
}

function writeExample(title: string, { example }: Content): Markup | undefined {
  if (example === undefined) return undefined;
  return html`<details><summary>${title}</summary><pre>${toText(example)}</pre></details>`;
}

/** A command for a shell; the origin of the service stands before it in $TEXTGATE_URL. */
function toCurl({ method, path, parameters = [], security = [], requestBody }: Call): string {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const value = Object.values(content?.examples ?? {})[0]?.value;
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters.find((it) => it.name === name)?.example ?? "");
  const query = parameters.filter((it) => it.in === "query" && it.example !== undefined);
  const search = query.map(({ name, example = "" }) => `${name}=${encodeURIComponent(example)}`).join("&");
  const lines = [
    `curl -X ${method} "$TEXTGATE_URL${place}${search === "" ? "" : `?${search}`}"`,
    ...Object.keys(security[0] ?? {}).flatMap((scheme) => CREDENTIALS[scheme] ?? []),
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}'`]),
    ...(value === undefined
      ? []
      : [`--data-binary ${quote(typeof value === "string" ? value : JSON.stringify(value))}`]),
  ];
  return lines.join(" \\\n  ");
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
