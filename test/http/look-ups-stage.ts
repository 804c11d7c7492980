// A viewer and an operator who look for people.
import type { PersonIdAnswers } from "../../src/operator/answers/people.ts";
import { newToken } from "../console.ts";
import { World } from "../world.ts";

export const ADA = "+12065550142";
const EMAIL = "o'hara@example.com";
export let world: World;
export let viewer: Record<string, string>;
export let operator: Record<string, string>;
export let personId: string;

export async function begin(): Promise<void> {
  world = await World.create();
  await world.brand([`${ADA},${EMAIL}`]);
  viewer = { authorization: `Bearer ${await newToken(world, "vera", "viewer")}` };
  operator = { authorization: `Bearer ${await newToken(world, "olga", "operator")}` };
  const found = await ask(operator, "POST /operator/people/find", { phone: ADA });
  personId = ((await found.json()) as PersonIdAnswers["FoundPerson"]).personId;
  await world.rows("DELETE FROM audit_log");
}

export function ask(headers: Record<string, string>, call: string, body?: unknown): Promise<Response> {
  const [method = "", path = ""] = call.split(" ");
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return world.fetch(path, {
    method,
    headers: { ...headers, ...type },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

export const entries = () => world.rows("SELECT operator, action, subject, after, outcome FROM audit_log ORDER BY id");

const BRAND = '{"website":"brand"}';

export const phone = encodeURIComponent(ADA);

/** Every way to name a person, and what the audit log has of it. */
export const LOOK_UPS: [call: string, body: unknown, subject: string, after: string | null][] = [
  ["POST /operator/people/find", { phone: ADA }, "+…42", null],
  ["POST /operator/people/find", { email: EMAIL }, "o•••@example.com", null],
  [`GET /operator/people/${phone}`, undefined, "+…42", null],
  ["GET /operator/people/{personId}", undefined, "+…42", null],
  [`GET /operator/websites/brand/people/${ADA}`, undefined, "+…42", BRAND],
  [`GET /operator/messages?phone=${phone}`, undefined, "+…42", null],
  ["GET /operator/messages?person={personId}", undefined, "+…42", null],
  [`GET /operator/messages?website=brand&email=${encodeURIComponent(EMAIL)}`, undefined, "o•••@example.com", BRAND],
];

export const guess = (index: number) => ask(viewer, "POST /operator/people/find", { phone: `+1206555${1000 + index}` });
