/** Who looked up whom: each look-up of a person has an entry in the audit log, and a viewer has sixty a minute. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { CALLS } from "../../src/calls.ts";
import { signIn } from "../console.ts";
import {
  ADA,
  ask,
  begin,
  entries,
  guess,
  LOOK_UPS,
  operator,
  personId,
  phone,
  viewer,
  world,
} from "./look-ups-stage.ts";

beforeEach(begin);

const entry = (name: string, subject: string, after: string | null = null, action = "look-up") => ({
  ...{ operator: name, action, subject, after, outcome: "done" },
});

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
  it("that asks for many at once gets no more of them", async () => {
    const answers = await Promise.all(Array.from({ length: 90 }, (_, index) => guess(index)));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
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
