/** HEAD is answered as GET, by the same checks, with the same status and headers, and without a body. */
import { beforeEach, describe, expect, it } from "vitest";
import { CALLS } from "../../src/calls.ts";
import { OPERATOR_TOKEN, type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const READS = CALLS.filter(({ method, access }) => method === "GET" && access !== "carrier");

let world: World;
let client: TestClient;
let params: Record<string, string>;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA]);
  const messageId = await world.send(client, { phone: ADA });
  params = { websiteId: "brand", clientId: client.clientId, phone: ADA, messageId, code: "aB3dE5fG7h" };
});

const asOf = (access: unknown): Record<string, string> =>
  access === "operator"
    ? { authorization: `Bearer ${OPERATOR_TOKEN}` }
    : { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };

/** What differs from one request to the next. */
const OWN = new Set(["x-request-id", "ratelimit", "date"]);

async function ask(method: string, url: string, headers: Record<string, string>) {
  const answer = await world.fetch(url, { method, headers });
  const kept = [...answer.headers].filter(([name]) => !OWN.has(name));
  world.advance(2);
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
}

describe.each(READS.map(({ id, path, access, parameters = [] }) => ({ id, path, access, parameters })))(
  "HEAD $path",
  ({ path, access, parameters }) => {
    const urlOf = () => {
      const query = parameters.flatMap((one) =>
        one.in === "query" && one.required ? `${one.name}=${params[one.name] ?? "2026-11-01"}` : [],
      );
      return (
        path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? "x")) +
        (query.length > 0 ? `?${query.join("&")}` : "")
      );
    };

    it("is GET without a body, with credentials and without", async () => {
      for (const headers of [asOf(access), {}]) {
        const get = await ask("GET", urlOf(), headers);
        expect(await ask("HEAD", urlOf(), headers)).toEqual({ ...get, body: "" });
      }
    });
  },
);

it("is allowed wherever GET is, and at no carrier's path", async () => {
  const allowed = async (path: string) => (await world.fetch(path, { method: "PROPFIND" })).headers.get("allow");
  expect(await allowed("/health")).toBe("GET, HEAD");
  expect(await allowed("/text/message/status")).toBe("GET, HEAD");
  expect(await allowed("/operator/websites/brand")).toBe("PUT, GET, HEAD");
  expect(await allowed("/l/aB3dE5fG7h")).toBe("GET, HEAD");
  expect((await world.fetch("/nothing", { method: "HEAD" })).status).toBe(404);
});

it("tells a monitor that the service works, and counts against the limit of a client", async () => {
  expect((await world.fetch("/health", { method: "HEAD" })).status).toBe(200);
  // The first was the send.
  const headers = asOf("client");
  const url = `/text/message/status?messageId=${params.messageId}`;
  const left = async (method: string) => (await world.fetch(url, { method, headers })).headers.get("ratelimit");
  expect(
    [await left("GET"), await left("HEAD"), await left("GET")].map((one) => /r=(\d+)/.exec(String(one))?.[1]),
  ).toEqual(["298", "297", "296"]);
});
