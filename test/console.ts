// What a browser does that is signed in to the console.
import type { TokenAnswers } from "../src/operator/answers/operators.ts";
import type { World } from "./world.ts";

/** What the console's pages send, and a browser with them. */
export const OF_THE_CONSOLE = { "sec-fetch-site": "same-origin", "x-console": "1" };

export type Role = "viewer" | "operator";

export async function newToken(world: World, name: string, role: Role = "operator"): Promise<string> {
  const answer = await world.operator("POST", "/tokens", { name, role });
  return ((await answer.json()) as TokenAnswers["NewOperatorToken"]).token;
}

export const postSession = (world: World, token: unknown, headers: Record<string, string> = OF_THE_CONSOLE) =>
  world.fetch("/console/session", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ token }),
  });

/** @returns what the browser sends from now on */
export async function signIn(world: World, name: string, role: Role = "operator"): Promise<{ cookie: string }> {
  const answer = await postSession(world, await newToken(world, name, role));
  return { cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

export async function sessionIdOf(world: World, name: string): Promise<string> {
  await signIn(world, name);
  const [row] = await world.rows("SELECT session_id FROM operator_sessions ORDER BY created_at DESC LIMIT 1");
  return String(row?.session_id);
}
