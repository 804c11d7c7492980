import type { Call, Parameter } from "./document.ts";
import { html, type Markup } from "./html.ts";

/** A link that leads elsewhere cannot be followed by a script, and nobody but a carrier can sign what a carrier sends. */
export function canBeTried({ method, path, responses }: Call): boolean {
  const isJson = Object.values(responses).some(({ content = {} }) => "application/json" in content);
  return isJson && method !== "HEAD" && !path.startsWith("/carriers/");
}

/** A form that page.js shows and sends. */
export function writeForm(call: Call): Markup {
  const { operationId: id, method, path, summary, parameters = [] } = call;
  return html`<form class="try" data-method="${method}" data-path="${path}" aria-label="Try: ${summary}" hidden>
<h4>Try it</h4>
${parameters.map((parameter) => writeInput(id, parameter))}
${writeBody(call)}
<p><button>Send</button> <output></output></p>
<pre class="answer" aria-label="Response" tabindex="0" hidden></pre>
</form>
`;
}

function writeInput(id: string, { name, in: place, required, example }: Parameter): Markup {
  const about = `${place}${required ? ", required" : ""}`;
  return html`<p><label for="${id}-${name}"><code>${name}</code> <span class="type">${about}</span></label>
<input id="${id}-${name}" name="${name}" data-in="${place}" autocomplete="off" spellcheck="false"${required && html` required`}${example !== undefined && html` value="${example}"`}></p>
`;
}

function writeBody({ operationId: id, requestBody }: Call): Markup | undefined {
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined) return undefined;
  const examples = Object.entries(content?.examples ?? {});
  const [first] = examples;
  const options = examples.map(([name, { value }]) => html`<option value="${toText(value)}">${name}</option>`);
  const choice = html`<p><label for="${id}-example">Example</label>
<select id="${id}-example" data-fills="${id}-body">${options}</select></p>
`;
  // The parser drops a line break that comes first.
  return html`${examples.length > 1 && choice}<p><label for="${id}-body">Body <span class="type">${type}</span></label>
<textarea id="${id}-body" data-type="${type}" rows="10" autocomplete="off" spellcheck="false">
${first && toText(first[1].value)}</textarea></p>
`;
}

/** As the page shows JSON; a file is shown as it is. */
export const toText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
