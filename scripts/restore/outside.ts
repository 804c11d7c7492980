import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { callOperator, type Service } from "../operator/api.ts";

export const wait = (milliseconds: number): Promise<void> => setTimeout(milliseconds);

/**
 * wrangler, from npm's PATH, without a question: nobody is asked whether to go on in the middle.
 * @returns what it wrote to stdout
 * @throws Error with the command
 */
export async function runWrangler(env: string, command: readonly string[]): Promise<string> {
  const child = spawn("wrangler", [...command, `--env=${env}`], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`this failed: npx wrangler ${command.slice(0, 4).join(" ")}\n${output}`);
  return output;
}

/** @returns how many messages and callbacks runs are at work on; undefined: the service does not know, or does not answer */
export async function readClaims(service: Service): Promise<number | undefined> {
  const state = await callOperator(service, "GET", "/health").then(JSON.parse, () => undefined);
  const counts = state && [
    ...state.carriers.map((carrier: { claimed: { count: number | null } }) => carrier.claimed.count),
    state.callbacks.claimed.count,
  ];
  if (!counts || state.failing.length > 0) return undefined;
  return counts.reduce((sum: number, count: number | null) => sum + (count ?? 0), 0);
}
