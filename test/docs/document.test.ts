import { describe, expect, it } from "vitest";
import { MESSAGE_STATUSES } from "../../src/domain/messages/message.ts";
import { ERROR_CODES, type ErrorKind } from "../../src/http/error-codes.ts";
import { ERROR_MEANINGS } from "../../src/openapi/error-meanings.ts";
import type { JsonObject } from "../../src/openapi/schemas.ts";
import { routes } from "../../src/router.ts";
import { World } from "../world.ts";
import { documentOfApi, expectDocumented, expectValid } from "./conformance.ts";

type Content = Record<
  string,
  { schema?: JsonObject; example?: unknown; examples?: Record<string, { value: unknown }> }
>;

const operations = Object.entries(documentOfApi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);

/** A path of the router as OpenAPI writes it. */
const toTemplate = (path?: string) => path?.replaceAll(/:(\w+)/g, "{$1}");

/** Every place that has a schema beside examples of it. */
function findContents(value: unknown, at = ""): { at: string; content: Content[string] }[] {
  if (typeof value !== "object" || value === null) return [];
  const entry = value as Content[string];
  const isContent = entry.schema && (entry.example !== undefined || entry.examples !== undefined);
  const inner = Object.entries(value).flatMap(([name, part]) => findContents(part, `${at}/${name}`));
  return isContent ? [{ at, content: entry }, ...inner] : inner;
}

/** The schema of a request's body. */
function bodyOf(path: string): JsonObject {
  const operation = documentOfApi.paths[path]?.post as { requestBody: { content: Content } } | undefined;
  return operation?.requestBody.content["application/json"]?.schema ?? {};
}

function eventFields(name: string): Record<string, { enum?: string[] }> {
  const webhooks = documentOfApi.webhooks as Record<string, { post: { requestBody: { content: Content } } }>;
  const { properties } = webhooks[name]?.post.requestBody.content["application/json"]?.schema ?? {};
  return properties as Record<string, { enum?: string[] }>;
}

describe("the document", () => {
  /** After a change of routes or schemas: `npm run docs`. */
  it("is answered to anyone, as the routes and schemas of today make it", async () => {
    const world = await World.create();
    const answer = await world.fetch("/openapi.json");
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(documentOfApi)));
  });

  it("has every route of the router, and no other", () => {
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const routed = routes.map(([method, , , path]) => `${method} ${toTemplate(path)}`);
    expect(documented.sort()).toEqual(routed.sort());
  });

  it("names every parameter of each path", () => {
    for (const { path, operation } of operations) {
      const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
      const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect([path, inPath]).toEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)]);
    }
  });

  it("has every error code, with its meaning and an example", () => {
    const responses = Object.values(documentOfApi.components.responses) as {
      content: Record<string, { examples: object }>;
    }[];
    const examples = responses.flatMap(({ content }) => Object.keys(content["application/json"]?.examples ?? {}));
    // No operation has the wrong method: that error is in the description only.
    const codes = Object.values(ERROR_CODES)
      .filter((code) => code !== ERROR_CODES["method-wrong"])
      .map(String);
    expect([...new Set(examples)].sort()).toEqual([...codes].sort());
    const { description } = documentOfApi.info as { description: string };
    for (const [kind, { meaning }] of Object.entries(ERROR_MEANINGS))
      expect(description).toContain(`\n### ${ERROR_CODES[kind as ErrorKind]}\n\n${meaning}`);
  });

  it("gives an example for every body but those that are a carrier's own", () => {
    const bodies = operations.filter(({ path }) => !path.startsWith("/carriers/"));
    for (const { path, operation } of bodies) {
      const { content } = (operation.requestBody ?? { content: {} }) as { content: Content };
      for (const { examples = {} } of Object.values(content))
        expect([path, Object.keys(examples)]).not.toEqual([path, []]);
    }
  });

  it("has no component that nothing refers to", () => {
    const text = JSON.stringify(documentOfApi);
    const { securitySchemes: _, ...components } = documentOfApi.components;
    for (const [kind, named] of Object.entries(components))
      for (const name of Object.keys(named))
        expect([kind, name, text.includes(`"#/components/${kind}/${name}"`)]).toEqual([kind, name, true]);
  });

  it("takes a bulk request whatever the words of one of its messages are, as the service does", async () => {
    const world = await World.create();
    const client = await world.brand(["+12125550100"]);
    const good = { phone: "+12125550100", text: "a", callbackData: "", sendPurpose: "a" };
    const wrong = [{ phone: "1.2E+10" }, { phone: null }, { text: "" }, { sendAt: "soon" }, { mediaUrl: "x" }];
    const messages = [good, ...wrong.map((fields) => ({ ...good, ...fields }))];
    const answer = (await (await world.post("/text/bulk/message/send", client, { messages })).json()) as object;
    expect(answer).toMatchObject({ successSent: [{ index: 0 }], failedSent: { length: wrong.length } });
    expectValid("a bulk request", bodyOf("/text/bulk/message/send"), { messages });
  });

  it("gives the fields of a bulk message their types, of which the service takes others one by one", async () => {
    const world = await World.create();
    const client = await world.brand(["+12125550100"]);
    const good = { phone: "+12125550100", text: "a", callbackData: "", sendPurpose: "a" };
    const others = [{ ...good, phone: 5 }, { ...good, text: null }, { text: "a" }, null, "text", [], {}];
    const answer = (await (
      await world.post("/text/bulk/message/send", client, { messages: [good, ...others] })
    ).json()) as object;
    expect(answer).toMatchObject({ successSent: [{ index: 0 }], failedSent: { length: others.length } });
    for (const one of others)
      expect(() => expectValid("a bulk request", bodyOf("/text/bulk/message/send"), { messages: [one] })).toThrow();
  });

  it("has no parameter that asks for an error", () => {
    for (const { path, operation } of operations)
      expect([path, JSON.stringify(operation.parameters ?? [])]).not.toEqual([
        path,
        expect.stringContaining("Sandbox-Error"),
      ]);
  });

  it("takes a bulk request of more messages than the limit, as the service does", () => {
    const good = { phone: "+12125550100", text: "a", callbackData: "", sendPurpose: "a" };
    expectValid("more than the limit", bodyOf("/text/bulk/message/send"), { messages: new Array(50_001).fill(good) });
  });

  it("requires a recipient of a single send request, as the service does", () => {
    const rest = { text: "a", callbackData: "", sendPurpose: "a" };
    const isTaken = (recipient: object) => {
      try {
        expectValid("a send request", bodyOf("/text/message/send"), { ...rest, ...recipient });
        return true;
      } catch {
        return false;
      }
    };
    const taken = [
      { phone: "+12125550100" },
      { phone: "", email: "a@example.com" },
      { phone: "+12125550100", email: "" },
    ];
    const refused = [
      {},
      { phone: null },
      { phone: "", email: "" },
      { phone: "", email: "ada" },
      { phone: "12125550100" },
    ];
    expect(taken.filter((recipient) => !isTaken(recipient))).toEqual([]);
    expect(refused.filter(isTaken)).toEqual([]);
  });

  it("lists as statuses of an event those that are posted", () => {
    const { status } = eventFields("message.status");
    expect(status?.enum).toEqual(MESSAGE_STATUSES.filter((it) => it !== "PENDING_TO_SEND"));
    expect(Object.keys(eventFields("message.clicked"))).toContain("clickUrl");
  });

  it.each(findContents(documentOfApi))("has an example that fits its schema: $at", ({ at, content }) => {
    const values = content.examples ? Object.values(content.examples).map(({ value }) => value) : [content.example];
    for (const value of values) expectValid(at, content.schema ?? {}, value);
  });
});

describe("the check of every answer", () => {
  const request = new Request("http://localhost/operator/websites");
  const headers = { "x-request-id": "0b0e1f3c-6a5d-4b57-9d9e-2f6c1c0f4a11" };

  it.each([
    ["a status", () => Response.json({ websites: [] }, { status: 202, headers })],
    ["a field", () => Response.json({ websites: [], more: true }, { headers })],
    ["a type", () => Response.json({ websites: [{ websiteId: 1 }] }, { headers })],
    ["a code", () => Response.json({ code: 40302, message: "", details: [] }, { status: 401, headers })],
    ["a header that is missing", () => Response.json({ websites: [] })],
    ["a header", () => Response.json({ websites: [] }, { headers: { ...headers, "retry-after": "1" } })],
    ["a content type", () => new Response("{}", { headers: { ...headers, "content-type": "text/plain" } })],
  ])("refuses %s that is not documented", async (_, answer) => {
    await expect(expectDocumented(request, undefined, answer())).rejects.toThrow(/document|missing/);
  });
});
