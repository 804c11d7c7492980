// Stands for npm, npx and wrangler while a test follows a page: `node cloudflare-stand-in.ts <program> <arguments>`. It notes each
// call of wrangler, and answers as Cloudflare would. The scripts of package.json run as npm runs them.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Call {
  args: string[];
  /** CLOUDFLARE_ENV. */
  env: string | undefined;
  /** What it was given, the file that --file names, or what was typed at the question that it asks otherwise. */
  input: string;
}

/** Where the calls are noted: one JSON per line. */
export const CALLS = "calls.jsonl";
/** The answers to questions, by name of the secret. */
export const ANSWERS = "answers.json";
export const DATABASE_ID = "5d3f9f4e-3b1c-4f0e-9d2a-0c1b2a3d4e5f";

if (import.meta.main) process.exitCode = main(process.argv.slice(2));

function main([program, ...args]: string[]): number {
  if (program === "npm") return runNpm(args);
  return runWrangler(program === "npx" ? args.slice(1) : args);
}

function runNpm(args: string[]): number {
  if (args[0] === "ci") return 0;
  const [, name = "", separator, ...given] = args.filter((arg) => arg !== "--silent");
  const script: string = JSON.parse(readFileSync("package.json", "utf8")).scripts[name];
  if (separator !== undefined && separator !== "--") throw new Error(`npm would take ${separator} for itself`);
  if (!args.includes("--silent")) console.log(`\n> ${name}\n> ${script}\n`);
  return spawnSync("sh", ["-c", `${script} "$@"`, "sh", ...given], { stdio: "inherit" }).status ?? 1;
}

function runWrangler(args: string[]): number {
  const folder = process.env.STAND_IN ?? "";
  const [first, second, third = ""] = args;
  const isSecret = first === "secret" && second === "put";
  const file = args.includes("--file") ? readFileSync(args[args.indexOf("--file") + 1] ?? "", "utf8") : "";
  const input = isSecret ? readFileSync(0, "utf8") || JSON.parse(readText(folder, ANSWERS))[third] : file;
  const call: Call = { args, env: process.env.CLOUDFLARE_ENV, input };
  appendFileSync(join(folder, CALLS), `${JSON.stringify(call)}\n`);
  const command = `${first} ${second}`;
  if (command === "d1 create") console.log(`[[d1_databases]]\nbinding = "DB"\ndatabase_id = "${DATABASE_ID}"`);
  if (command === "secret list") console.log(JSON.stringify(listSecrets(folder), undefined, 2));
  if (args.includes("info")) console.log('{"bookmark":"then"}');
  else if (args.includes("restore")) console.log('{"bookmark":"then","previous_bookmark":"before"}');
  else if (args.includes("--json"))
    console.log(JSON.stringify([{ results: [{ statements: "SELECT 1;" }], success: true }]));
  return 0;
}

function listSecrets(folder: string): object[] {
  const own = readCalls(folder).filter(({ args, env }) => args[1] === "put" && env === process.env.CLOUDFLARE_ENV);
  return own.map(({ args }) => ({ name: args[2], type: "secret_text" }));
}

export function readCalls(folder: string): Call[] {
  if (!existsSync(join(folder, CALLS))) return [];
  return readText(folder, CALLS)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function readText(folder: string, file: string): string {
  return readFileSync(join(folder, file), "utf8");
}
