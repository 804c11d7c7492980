/** A call is declared once, and all else is made from it: test/node/operator/commands.test.ts has the operator's shell. */
import { expect, it } from "vitest";
import { CALLS, SCHEMAS } from "../../src/calls.ts";
import { routes } from "../../src/router.ts";
import { documentOfApi } from "./conformance.ts";

const ROOMS = {
  operator: import.meta.glob("../../src/operator/*.ts", { query: "?raw" }),
  tests: import.meta.glob(["../operator/*.test.ts", "!../operator/*.long.test.ts"], { query: "?raw" }),
};

/** What the resources share. */
const SHARED = ["answers", "csv-file", "in-shell", "operator-call", "params", "scope"];

const namesIn = (room: keyof typeof ROOMS) =>
  Object.keys(ROOMS[room]).map((path) => path.replace(/^.*\//, "").replace(/(\.test)?\.ts$/, ""));

it("a resource of the operator has a file with its calls, and a test of the same name", () => {
  const resources = namesIn("operator").filter((name) => !SHARED.includes(name));
  expect(resources).toHaveLength(33);
  expect(namesIn("tests").sort()).toEqual(resources.sort());
});

it("every declared call is in the router and in the document, under its own id", () => {
  expect(new Set(CALLS.map(({ id }) => id)).size).toBe(CALLS.length);
  const declared = CALLS.map(({ method, path }) => `${method} ${path}`);
  expect(routes.map(([method, , , path]) => `${method} ${path}`)).toEqual(declared);
  for (const { id, method, path, summary } of CALLS) {
    const operation = documentOfApi.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
    expect(operation).toMatchObject({ operationId: id, summary });
  }
});

it("every call of the operator, and no other, is under /operator and has a command", () => {
  for (const { path, access, command } of CALLS) {
    const isOperators = path.startsWith("/operator");
    expect([path, access === "operator", command !== undefined]).toEqual([path, isOperators, isOperators]);
  }
});

it("every schema of a body or an answer of the operator has a name", () => {
  const named = new Set(Object.values(SCHEMAS));
  for (const { path, body, answers } of CALLS.filter(({ access }) => access === "operator")) {
    const inJson = [
      ...(body?.mediaTypes.includes("application/json") ? [body] : []),
      ...answers.filter(({ mediaType }) => mediaType === "application/json"),
    ];
    for (const { schema } of inJson) expect([path, schema && named.has(schema)]).toEqual([path, true]);
  }
});
