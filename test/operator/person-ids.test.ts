import { beforeEach, describe, expect, it } from "vitest";
import type { PersonIdAnswers } from "../../src/operator/answers/people.ts";
import { toPersonId } from "../../src/platform/person-id.ts";
import { OF_THE_CONSOLE, type Role, signIn } from "../console.ts";
import { World } from "../world.ts";

const ADA = "+12065550142";
const EVE = "+12065550143";

let world: World;

beforeEach(async () => {
  world = await World.create();
  await world.brand([`${ADA},ada@example.com`, `${EVE},ada@example.com`, "+12065550144"]);
});

async function post<T>(path: string, body?: unknown, role: Role = "operator") {
  const browser = await signIn(world, `${role}-${Math.floor(world.now / 1000)}`, role);
  world.advance(1);
  const answer = await world.fetch(`/operator/people/${path}`, {
    method: "POST",
    headers: { ...browser, ...OF_THE_CONSOLE, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

const find = (body: unknown, role?: Role) => post<PersonIdAnswers["FoundPerson"]>("find", body, role);

describe("finding the id of a person", () => {
  it("by the number, for a viewer too: the same each time, and nothing that tells the number", async () => {
    const { status, body } = await find({ phone: ADA }, "viewer");
    expect([status, body]).toEqual([200, { personId: expect.any(String), phone: "+1206•••••42", others: [] }]);
    expect((await find({ phone: ADA })).body.personId).toBe(body.personId);
    expect((await find({ phone: EVE })).body.personId).not.toBe(body.personId);
    expect(atob(body.personId.slice(2).replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("5550142");
  });

  it("by the address: whoever is subscribed with it, the last first", async () => {
    const { body } = await find({ email: " Ada@Example.com" });
    expect([body.phone, ...body.others.map(({ phone }) => phone)].sort()).toEqual(["+1206•••••42", "+1206•••••43"]);
    await world.operator("DELETE", `/websites/brand/people/${EVE}/email`);
    expect((await find({ email: "ada@example.com" })).body).toMatchObject({ phone: "+1206•••••42", others: [] });
  });

  it("finds nobody whom no website knows, and wants one of both", async () => {
    expect((await find({ phone: "+12065550199" })).status).toBe(404);
    expect((await find({ email: "bob@example.com" })).status).toBe(404);
    for (const wrong of [
      {},
      { phone: ADA, email: "ada@example.com" },
      { phone: "206" },
      { email: "ada" },
      { phone: 1 },
    ]) {
      expect([wrong, (await find(wrong)).status]).toEqual([wrong, 400]);
    }
  });
});

describe("revealing a person", () => {
  const reveal = (personId: string, role?: Role) =>
    post<PersonIdAnswers["RevealedPerson"]>(`${personId}/reveal`, undefined, role);
  const audits = () => world.rows("SELECT operator, subject, outcome FROM audit_log WHERE action = 'reveal'");

  it("shows the number and its addresses, and says so in the audit log", async () => {
    const { personId } = (await find({ phone: ADA })).body;
    const { status, body } = await reveal(personId);
    expect([status, body]).toEqual([200, { phone: ADA, emails: ["ada@example.com"] }]);
    expect(await audits()).toEqual([
      { operator: expect.stringMatching(/^operator-/), subject: "+…42", outcome: "done" },
    ]);
  });

  it("is refused to a viewer, and shows nobody who is unknown", async () => {
    const { personId } = (await find({ phone: ADA })).body;
    expect((await reveal(personId, "viewer")).status).toBe(403);
    const unknown = await toPersonId("+12065550199", world.deps.config.serviceKey ?? "");
    expect((await reveal(unknown)).status).toBe(404);
    expect(await audits()).toEqual([]);
  });

  it("takes no id that was altered, or made with another key", async () => {
    const { personId } = (await find({ phone: ADA })).body;
    const altered = personId.replace(/.(.)$/, (end) => (end.startsWith("A") ? `B${end[1]}` : `A${end[1]}`));
    const foreign = await toPersonId(ADA, "another-service-key-of-the-tests");
    for (const wrong of [altered, foreign]) expect((await reveal(wrong)).status).toBe(404);
    expect((await world.operator("GET", `/people/${foreign}`)).status).toBe(404);
    expect((await world.operator("GET", "/messages?person=x")).status).toBe(404);
  });
});
