import { beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { World } from "../world.ts";

const PATH = "/.well-known/security.txt";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

async function readWith(contact: string) {
  world.deps = { ...world.deps, config: readConfig({ SECURITY_CONTACT: contact }) };
  return world.fetch(PATH);
}

describe("GET /.well-known/security.txt", () => {
  it("names the contact, and the day on which to look again, the same all day long", async () => {
    const answer = await readWith("mailto:security@example.com");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await answer.text();
    expect(text).toBe("Contact: mailto:security@example.com\nExpires: 2027-02-19T00:00:00.000Z\n");
    world.advance(3600);
    expect(await (await world.fetch(PATH)).text()).toBe(text);
    world.advance(12 * 3600);
    expect(await (await world.fetch(PATH)).text()).toContain("Expires: 2027-02-20T");
  });

  it.each([undefined, ""])("does not exist without the setting: %j", async (contact) => {
    world.deps = { ...world.deps, config: readConfig({ SECURITY_CONTACT: contact }) };
    const answer = await world.fetch(PATH);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 40400 })]);
  });

  it.each(["mailto:a@b.example", "https://example.com/security", "tel:+12125550100"])("may be %s", async (contact) => {
    expect(await (await readWith(contact)).text()).toContain(`Contact: ${contact}\n`);
  });

  it.each([
    "security@example.com",
    "http://example.com/",
    "mailto:",
    "mailto:a@b.example\nExpires: 1970-01-01T00:00:00Z",
    7,
  ])("may not be %j", (contact) => {
    expect(() => readConfig({ SECURITY_CONTACT: contact })).toThrow("wrong configuration: SECURITY_CONTACT: must be");
  });
});
