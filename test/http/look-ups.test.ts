/** Who looked up whom: each look-up of a person has an entry in the audit log, and a viewer has sixty a minute. */

import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { CALLS } from "../../src/calls.ts";
import type { PersonIdAnswers } from "../../src/operator/answers/people.ts";
import { newToken, OF_THE_CONSOLE, signIn } from "../console.ts";
import { World } from "../world.ts";

const ADA = "+12065550142";
const EMAIL = "o'hara@example.com";

let world: World;
let viewer: Record<string, string>;
let operator: Record<string, string>;
let personId: string;

beforeEach(async () => {
  world = await World.create();
  await world.brand([`${ADA},${EMAIL}`]);
  viewer = { authorization: `Bearer ${await newToken(world, "vera", "viewer")}` };
  operator = { authorization: `Bearer ${await newToken(world, "olga", "operator")}` };
  const found = await ask(operator, "POST /operator/people/find", { phone: ADA });
  personId = ((await found.json()) as PersonIdAnswers["FoundPerson"]).personId;
  await world.rows("DELETE FROM audit_log");
});

function ask(headers: Record<string, string>, call: string, body?: unknown): Promise<Response> {
  const [method = "", path = ""] = call.split(" ");
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return world.fetch(path, {
    method,
    headers: { ...headers, ...type },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

const entries = () => world.rows("SELECT operator, action, subject, after, outcome FROM audit_log ORDER BY id");
const entry = (name: string, subject: string, after: string | null = null, action = "look-up") => ({
  ...{ operator: name, action, subject, after, outcome: "done" },
});

const BRAND = '{"website":"brand"}';
const phone = encodeURIComponent(ADA);

/** Every way to name a person, and what the audit log has of it. */
const LOOK_UPS: [call: string, body: unknown, subject: string, after: string | null][] = [
  ["POST /operator/people/find", { phone: ADA }, "+…42", null],
  ["POST /operator/people/find", { email: EMAIL }, "o•••@example.com", null],
  [`GET /operator/people/${phone}`, undefined, "+…42", null],
  ["GET /operator/people/{personId}", undefined, "+…42", null],
  [`GET /operator/websites/brand/people/${ADA}`, undefined, "+…42", BRAND],
  [`GET /operator/messages?phone=${phone}`, undefined, "+…42", null],
  ["GET /operator/messages?person={personId}", undefined, "+…42", null],
  [`GET /operator/messages?website=brand&email=${encodeURIComponent(EMAIL)}`, undefined, "o•••@example.com", BRAND],
];

describe.each(["viewer", "operator"] as const)("by a %s", (role) => {
  it.each(LOOK_UPS)("%s is recorded, with the person masked", async (call, body, subject, after) => {
    const [headers, name] = role === "viewer" ? [viewer, "vera"] : [operator, "olga"];
    expect((await ask(headers, call.replace("{personId}", personId), body)).status).toBe(200);
    expect(await entries()).toEqual([entry(name, subject, after)]);
  });
});

it("knows every call that names a person", () => {
  const naming = CALLS.filter(
    ({ access, method, isRead }) => access === "operator" && (method === "GET" || isRead),
  ).filter(
    ({ path, parameters = [], body }) =>
      /:(phone|personId)/.test(path) ||
      parameters.some(({ name }) => ["phone", "email", "person"].includes(name)) ||
      JSON.stringify(body?.examples ?? {}).includes(ADA.slice(0, 2)),
  );
  expect(naming.map(({ id }) => id).sort()).toEqual(
    ["exportPerson", "exportPersonOfWebsite", "findMessages", "findPerson", "findPersonId", "getPerson"].sort(),
  );
});

it("an export is recorded as a revealed number, whoever asks", async () => {
  const browser = await signIn(world, "ada");
  await world.rows("DELETE FROM audit_log");
  expect((await ask(operator, `GET /operator/people/${phone}/export`)).status).toBe(200);
  expect((await ask(browser, `GET /operator/websites/brand/people/${phone}/export`)).status).toBe(200);
  expect(await entries()).toEqual([entry("olga", "+…42", null, "reveal"), entry("ada", "+…42", null, "reveal")]);
});

it("what nobody has is recorded too, and no word that is no number", async () => {
  expect((await ask(operator, "GET /operator/people/+12065550199")).status).toBe(404);
  expect((await ask(operator, "GET /operator/people/Ada%20Lovelace")).status).toBe(400);
  expect((await ask(operator, "GET /operator/messages?website=brand")).status).toBe(200);
  expect(await entries()).toEqual([entry("olga", "+…99"), entry("olga", "")]);
});

describe("a viewer", () => {
  const guess = (index: number) => ask(viewer, "POST /operator/people/find", { phone: `+1206555${1000 + index}` });

  it("is refused the sixty-first person within a minute, in every way, and told when to come back", async () => {
    for (let index = 0; index < 60; index++) {
      expect((await guess(index)).status).toBe(404);
      if (index === 29) world.advance(20);
    }
    const browser = { ...(await signIn(world, "vera", "viewer")), ...OF_THE_CONSOLE };
    for (const [call, body] of LOOK_UPS)
      for (const headers of [viewer, browser]) {
        const refused = await ask(headers, call.replace("{personId}", personId), body);
        expect([refused.status, ((await refused.json()) as { code: number }).code]).toEqual([429, 42904]);
        expect(refused.headers.get("retry-after")).toBe("40");
      }
    expect((await entries()).filter(({ action }) => action === "look-up")).toHaveLength(60);
    world.advance(39);
    expect((await guess(61)).status).toBe(429);
    world.advance(1);
    for (let index = 0; index < 30; index++) expect((await guess(index)).status).toBe(404);
    expect((await guess(62)).status).toBe(429);
  });

  it("that asks for many at once gets no more of them", async () => {
    const answers = await Promise.all(Array.from({ length: 90 }, (_, index) => guess(index)));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
  });

  it("takes nothing from another viewer, and no operator is limited", async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)));
    const other = { authorization: `Bearer ${await newToken(world, "vito", "viewer")}` };
    expect((await ask(other, `GET /operator/people/${phone}`)).status).toBe(200);
    for (let index = 0; index < 70; index++) {
      const answer = await ask(operator, "POST /operator/people/find", { phone: `+1206555${1000 + index}` });
      expect(answer.status).toBe(404);
    }
  });

  it("still sees lists and messages, which name nobody", async () => {
    await Promise.all(Array.from({ length: 60 }, (_, index) => guess(index)));
    for (const path of ["messages?website=brand", "websites/brand/subscribers", "overview", "audit"])
      expect((await ask(viewer, `GET /operator/${path}`)).status).toBe(200);
  });
});

it("without its entry, nothing is shown", async () => {
  await world.rows("ALTER TABLE audit_log RENAME TO audit_away");
  onTestFinished(async () => void (await world.rows("ALTER TABLE audit_away RENAME TO audit_log")));
  const answer = await ask(operator, `GET /operator/people/${phone}`);
  expect([answer.status, (await answer.text()).includes(ADA)]).toEqual([500, false]);
});
