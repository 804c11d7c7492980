import { CREDENTIALS, type Request } from "./programs.ts";

type Field = HTMLInputElement | HTMLSelectElement;

const filled = (form: HTMLFormElement, place: string) =>
  [...form.querySelectorAll<Field>(`[data-in="${place}"]`)].filter(({ value }) => value !== "");

const nameOf = (field: Field) => field.dataset.name ?? "";

/** What the form would send. */
export function readRequest(form: HTMLFormElement): Request {
  const { id = "", method = "", path = "", type, security = "" } = form.dataset;
  const address = filled(form, "path").reduce(
    (text, field) => text.replace(`{${nameOf(field)}}`, encodeURIComponent(field.value)),
    path,
  );
  const query = new URLSearchParams(filled(form, "query").map((field) => [nameOf(field), field.value])).toString();
  const headers = filled(form, "header").map((field): [string, string] => [nameOf(field), field.value]);
  return {
    ...{ id, method, origin: location.origin, security: security.split(" ").filter(Boolean) },
    path: query === "" ? address : `${address}?${query}`,
    headers: type ? [["Content-Type", type], ...headers] : headers,
    body: form.querySelector("textarea")?.value,
  };
}

/** The typed credentials. */
const credentialsOf = (form: HTMLFormElement, { security }: Request) =>
  security.flatMap((name): [string, string][] => {
    const value = form.querySelector<HTMLInputElement>(`[data-credential="${name}"]`)?.value.trim();
    const { header = "", before = "" } = CREDENTIALS[name] ?? {};
    return value ? [[header, before + value]] : [];
  });

/** Sends what the form holds, without the cookie of a session of the console. */
export async function execute(form: HTMLFormElement): Promise<void> {
  const place = form.querySelector(".answer");
  const request = readRequest(form);
  const began = performance.now();
  place?.replaceChildren(text("p", "Waits for the answer …"));
  try {
    const answer = await fetch(request.path, {
      method: request.method,
      headers: [...credentialsOf(form, request), ...request.headers],
      credentials: "omit",
      cache: "no-store",
      redirect: "manual",
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const body = await answer.text();
    place?.replaceChildren(...show(answer, body, Math.round(performance.now() - began)));
  } catch (error) {
    place?.replaceChildren(text("p", `No answer: ${error instanceof Error ? error.message : error}`));
  }
}

function show(answer: Response, body: string, milliseconds: number): Element[] {
  if (answer.type === "opaqueredirect") return [text("p", "A redirect. The browser does not say where it leads.")];
  const line = text("p", `${answer.status} ${answer.statusText}, ${milliseconds} ms `);
  line.className = answer.ok ? "ok" : "bad";
  const [, help] = /^<([^>]+)>; rel="help"$/.exec(answer.headers.get("link") ?? "") ?? [];
  if (help) line.append(Object.assign(text("a", `What ${help.replace(/.*#/, "")} means`), { href: help }));
  const details = document.createElement("details");
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  details.append(text("summary", "Headers"), text("pre", headers));
  return [line, ...(body === "" ? [] : [text("pre", pretty(body))]), details];
}

const MOST_CHARACTERS = 100_000;

function pretty(body: string): string {
  if (body.length > MOST_CHARACTERS) return `${body.slice(0, MOST_CHARACTERS)}…`;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const text = <K extends keyof HTMLElementTagNameMap>(name: K, words: string): HTMLElementTagNameMap[K] =>
  Object.assign(document.createElement(name), { textContent: words });
