// The programs of a request: in the page as it is built, and again in the browser, with what the reader has filled in.

export interface Request {
  id: string;
  method: string;
  origin: string;
  /** With its query. */
  path: string;
  headers: [name: string, value: string][];
  /** The names of the credentials that it needs. */
  security: string[];
  body: string | undefined;
}

/** Programs read credentials from variables, so that no secret is in a text that somebody copies. */
export const CREDENTIALS: Record<string, { header: string; before: string; variable: string }> = {
  ClientId: { header: "X-Client-ID", before: "", variable: "CLIENT_ID" },
  ClientSecret: { header: "X-Client-Secret", before: "", variable: "CLIENT_SECRET" },
  Operator: { header: "Authorization", before: "Bearer ", variable: "OPERATOR_TOKEN" },
};

const credentialsOf = ({ security }: Request) => security.flatMap((name) => CREDENTIALS[name] ?? []);

const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const indent = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

/** A string of JSON is one of JavaScript, and of Python, too. */
const literal = (text: string) => JSON.stringify(text);

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function curl(request: Request): string {
  const { method, origin, path, headers, body } = request;
  const isPlain = method === "GET" || (method === "POST" && body !== undefined);
  const option = method === "HEAD" ? "-I " : isPlain ? "" : `-X ${method} `;
  return [
    `curl ${option}${inShell(origin + path)}`,
    ...credentialsOf(request).map(({ header, before, variable }) => `-H "${header}: ${before}$${variable}"`),
    ...headers.map(([name, value]) => `-H ${inShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${inShell(body)}`]),
  ].join(" \\\n  ");
}

function node(request: Request): string {
  const { method, origin, path, headers, body } = request;
  const lines = [
    ...credentialsOf(request).map(({ header, before, variable }) => {
      const value = `process.env.${variable}`;
      return `${literal(header)}: ${before ? `\`${before}\${${value}}\`` : value},`;
    }),
    ...headers.map(([name, value]) => `${literal(name)}: ${literal(value)},`),
  ];
  const text = body === undefined ? [] : [parse(body) === undefined ? literal(body) : `JSON.stringify(${body})`];
  return [
    `const response = await fetch(${literal(origin + path)}, {`,
    `  method: ${literal(method)},`,
    ...(lines.length > 0 ? ["  headers: {", ...lines.map((line) => `    ${line}`), "  },"] : []),
    ...text.map((value) => `  body: ${indent(value, "  ")},`),
    "});",
    "console.log(response.status, await response.text());",
  ].join("\n");
}

/** A value of JSON as Python writes it. */
function toPython(value: unknown, by = ""): string {
  const inner = `${by}    `;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((item) => inner + toPython(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${literal(name)}: ${toPython(item, inner)}`);
  const [open, close] = isList ? "[]" : "{}";
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")},\n${by}${close}`;
}

function python(request: Request): string {
  const { method, origin, path, headers, body } = request;
  const lines = [
    ...credentialsOf(request).map(({ header, before, variable }) => {
      const value = `os.environ["${variable}"]`;
      return `${literal(header)}: ${before ? `${literal(before)} + ` : ""}${value},`;
    }),
    ...headers.map(([name, value]) => `${literal(name)}: ${literal(value)},`),
  ];
  const value = body === undefined ? undefined : parse(body);
  const text = value === undefined ? literal(body ?? "") : `json.dumps(${toPython(value, "    ")})`;
  return [
    "import json, os, urllib.error, urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${literal(origin + path)},`,
    `    method=${literal(method)},`,
    ...(lines.length > 0 ? ["    headers={", ...lines.map((line) => `        ${line}`), "    },"] : []),
    ...(body === undefined ? [] : [`    data=${text}.encode(),`]),
    ")",
    "try:",
    "    response = urllib.request.urlopen(request)",
    "except urllib.error.HTTPError as refusal:",
    "    response = refusal",
    "print(response.status, response.read().decode())",
  ].join("\n");
}

/** The methods of the client package, and the part of the request that each takes. */
const METHODS: Record<string, { name: string; takes?: string }> = {
  sendMessage: { name: "send", takes: "body" },
  sendMessages: { name: "sendBulk", takes: "messages" },
  cancelMessages: { name: "cancel", takes: "messageIds" },
  messageStatus: { name: "status", takes: "messageId" },
  messageStatuses: { name: "statuses", takes: "messageIds" },
  listRequests: { name: "requests" },
  testEndpoint: { name: "testEvent" },
  subscribe: { name: "subscribe", takes: "body" },
  unsubscribe: { name: "unsubscribe", takes: "body" },
  subscriptionStatus: { name: "subscriptionStatus", takes: "body" },
};

const PACKAGE = (origin: string) => `import { Textgate } from "textgate-client";

const textgate = new Textgate({
  url: ${literal(origin)},
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
});`;

/** Undefined where the package has no method for the call. */
function clientPackage({ id, origin, path, headers, body }: Request): string | undefined {
  if (id === "listEvents")
    return `${PACKAGE(origin)}\nfor await (const event of textgate.events()) console.log(event);`;
  const method = METHODS[id];
  if (method === undefined) return undefined;
  const query = Object.fromEntries(new URL(path, origin).searchParams);
  const value = body === undefined ? query : parse(body);
  const taken = method.takes === "body" ? value : (value as Record<string, unknown> | undefined)?.[method.takes ?? ""];
  const key = headers.find(([name]) => name === "Idempotency-Key")?.[1];
  const given = [
    ...(method.takes ? [taken === undefined ? literal(body ?? "") : JSON.stringify(taken, null, 2)] : []),
    ...(key ? [`{ idempotencyKey: ${literal(key)} }`] : []),
  ];
  return `${PACKAGE(origin)}\nconsole.log(await textgate.${method.name}(${given.join(", ")}));`;
}

/** By the name that the page gives it. */
export const PROGRAMS: Record<string, (request: Request) => string | undefined> = {
  curl,
  Node: node,
  Python: python,
  Package: clientPackage,
};
