// The documents of the two pages of /docs: the OpenAPI document in two parts, each with what its reader reads first.

interface Operation {
  operationId: string;
  tags?: string[];
}

export interface Document {
  info: { title: string; description: string };
  servers?: object[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, object> } & Record<string, Record<string, object>>;
}

interface Part {
  title: string;
  description: string;
  /** A link to the other page. */
  other: string;
  schemes: string[];
  isIn(path: string): boolean;
}

interface Place {
  name: string;
  id: string;
}

/** What a client's engineer reads first, from the pages of docs/. */
const QUICK_START = [
  ["quick-start.md", "Credentials"],
  ["quick-start.md", "The first text"],
  ["carriers.md", "The sandbox"],
  ["quick-start.md", "Callbacks and their signatures"],
  ["quick-start.md", "When it goes wrong"],
  ["quick-start.md", "Rehearse it"],
] as const;

/** What an operator reads first, at night: the console, `health` and alerts link to a problem. */
const RUNBOOK = [
  ["runbook.md", "By symptom"],
  ["runbook.md", "Problems"],
] as const;

/** @param read a page of docs/, by its name */
export function splitDocument(
  document: Document,
  read: (name: string) => string,
): { clients: Document; operator: Document } {
  const { title } = document.info;
  // A client's engineer reads no errors that a client never gets.
  const [description = "", others = ""] = document.info.description.split(/^(?=## Errors of operators and carriers$)/m);
  const textOf = (sections: readonly (readonly [string, string])[]) =>
    sections.map(([name, heading]) => sectionOf(read(name), heading)).join("");
  const { webhooks: _, ...withoutEvents } = document;
  const clients = partOf(document, {
    title: `${title} API`,
    description: `${textOf(QUICK_START)}\n## Every request\n\n${description}`,
    other: "[For the operator and for carriers](/docs/operator)",
    schemes: ["ClientId", "ClientSecret"],
    isIn: (path) => !isOthers(path),
  });
  const operator = partOf(withoutEvents, {
    title: `${title} API for the operator and for carriers`,
    description: `Each call of the operator carries \`Authorization: Bearer\` and the token. Each call of a carrier carries its signature or its key.\n\n${textOf(RUNBOOK)}\n${others}`,
    other: "[For clients, with the meaning of every error](/docs#errors)",
    schemes: ["Operator"],
    isIn: isOthers,
  });
  return { clients, operator };
}

const isOthers = (path: string) => /^\/(operator|console|carriers)\//.test(path);

/** Without servers: its calls go to where it comes from. */
function partOf({ servers: _, ...document }: Document, part: Part): Document {
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => part.isIn(path)));
  const used = new Set(operationsOf(paths).flatMap((call) => call.tags ?? []));
  const { securitySchemes, ...components } = document.components;
  const { webhooks } = document;
  const schemes = Object.entries(securitySchemes).filter(([name]) => part.schemes.includes(name));
  const own = {
    ...document,
    tags: document.tags.filter(({ name }) => used.has(name)),
    paths,
    components: { ...usedBy({ paths, webhooks }, components), securitySchemes: Object.fromEntries(schemes) },
  };
  return { ...own, info: { ...document.info, title: part.title, description: describe(own, part) } };
}

/**
 * Swagger UI reads the whole document again for each call that is opened: with the components of the other page, /docs takes
 * twice as long.
 * @returns the components that the calls refer to, directly or by way of other components
 */
function usedBy(calls: object, components: Record<string, Record<string, object>>): typeof components {
  const used: typeof components = {};
  const visit = (value: object): void => {
    for (const [, kind = "", name = ""] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      const component = components[kind]?.[name];
      if (component === undefined || used[kind]?.[name]) continue;
      used[kind] = { ...used[kind], [name]: component };
      visit(component);
    }
  };
  visit(calls);
  return used;
}

/** Markdown with anchors, and contents before it: Swagger UI gives an id to groups of calls and to calls only. */
function describe({ tags, webhooks = {} }: Document, { description, other }: Part): string {
  const placesOf = (pattern: RegExp) =>
    [...description.matchAll(pattern)].map(([, name = ""]) => ({ name, id: anchorOf(name) }));
  const events = operationsOf(webhooks).slice(0, 1);
  const places = [
    ...placesOf(/^## (.+)$/gm),
    ...tags.map(({ name }) => ({ name, id: `operations-tag-${name.replaceAll(" ", "_")}` })),
    ...events.map(({ operationId }) => ({ name: "Callbacks", id: `operations-webhooks-${operationId}` })),
  ];
  const contents = places.map(({ name, id }) => `[${name}](#${id})`).join(" · ");
  const text = withLinksInPage(description, [...places, ...placesOf(/^### (.+)$/gm)]);
  const anchored = text.replaceAll(/^(###?) (.+)$/gm, (_, level: string, name: string) => {
    const heading = `h${level.length}`;
    const id = anchorOf(name);
    // No stop of a keyboard, as there are dozens: whoever follows a link to the heading has its address, too.
    return `<${heading} id="${id}"><a href="#${id}" tabindex="-1">${name}</a></${heading}>`;
  });
  return `${other}. [The whole OpenAPI document](/openapi.json).\n\n${contents}\n\n${anchored}`;
}

export const operationsOf = (paths: Document["paths"]): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item));

/** @returns a section of the second level, with its heading */
function sectionOf(markdown: string, heading: string): string {
  const section = markdown.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  if (section === undefined) throw new Error(`no such section: ${heading}`);
  return section;
}

/** A link between the pages of docs/ leads to its place on this page; where the page has none, its text stays. */
function withLinksInPage(markdown: string, places: Place[]): string {
  return markdown.replaceAll(
    /\[([^\]]+)\]\((?!https?:|\/)[^)#]*(?:#([^)]*))?\)/g,
    (_, text: string, anchor?: string) => {
      const place = places.find(({ name }) => anchorOf(name) === anchor);
      return place ? `[${text}](#${place.id})` : text;
    },
  );
}

/** The anchor that GitHub gives a heading: without punctuation, with hyphens for spaces. Links in docs/ use it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
