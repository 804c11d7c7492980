// The programs of examples/, run as their readers run them.
import { spawnSync } from "node:child_process";
import { type Run, run, waitFor } from "./processes.ts";
import { type Behaviour, type Receiver, startReceiver } from "./receiver.ts";
import { type Client, makeClient } from "./service.ts";

export const PHONE = "+12125550100";
export const OTHER = "+12125550101";

const runs: Run[] = [];
const fakes: Receiver[] = [];

/**
 * Ends all that was started. Each file calls it in a hook of its own: files share this module, and a hook here would be of the file
 * alone that loads it first.
 */
export async function endExamples(): Promise<void> {
  for (const { child, exited } of runs.splice(0)) {
    child.kill();
    await exited;
  }
  for (const fake of fakes.splice(0)) await fake.close();
}

function isMissing(program: string): boolean {
  const missing = spawnSync(program, ["--version"]).error !== undefined;
  if (missing) console.warn(`${program} is not installed: its examples are not run`);
  return missing;
}

export const LANGUAGES = [
  { extension: "mjs", program: process.execPath },
  { extension: "py", program: "python3" },
].filter(({ program }) => !isMissing(program));

export type Language = (typeof LANGUAGES)[number];

export const PYTHON = LANGUAGES.find(({ extension }) => extension === "py");

export const WITHOUT_CURL = ["bash", "curl", "openssl"].some(isMissing);

export function start(program: string, file: string, args: string[], env: Record<string, string>): Run {
  const example = run(program, [`examples/${file}`, ...args], { env });
  example.child.stdin?.on("error", () => {}); // it may have ended already
  runs.push(example);
  return example;
}

export async function finish(example: Run): Promise<{ code: number | null; output: string }> {
  const code = await example.exited;
  return { code, output: example.output().trim() };
}

/** The lines of an example: each a label, and an answer as JSON. */
export function readAnswers(output: string) {
  return output.split("\n").map((line) => {
    const [, label, answer = ""] = /^([a-z ]+): (.*)$/.exec(line) ?? [];
    return { label, answer: JSON.parse(answer) };
  });
}

/** The only answer, under its label. */
export function readAnswer(output: string, label: string) {
  const [only, ...others] = readAnswers(output);
  if (only?.label !== label || others.length > 0) throw new Error(`not one answer "${label}": ${output}`);
  return only.answer;
}

export function settings({ url, clientId, clientSecret }: Client) {
  return { TEXTGATE_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
}

export function runScript(env: Record<string, string>) {
  return finish(start("bash", "curl.sh", [PHONE, OTHER], env));
}

export function runClient({ extension, program }: Language, client: Client, ...args: string[]) {
  return finish(start(program, `client.${extension}`, args, settings(client)));
}

/** Waits until the example receiver listens. @param file where it stores events */
export async function runReceiver(
  { extension, program }: Language,
  callbackSecret: string,
  port: number,
  file: string,
) {
  const example = start(program, `receiver.${extension}`, [`${port}`, file], { CALLBACK_SECRET: callbackSecret });
  await waitFor("the receiver to listen", () => example.output().includes(`http://127.0.0.1:${port}/`));
  return example;
}

/** Nobody listens at this address. */
export const NOWHERE = "http://127.0.0.1:9/";

/** Well-formed credentials that nobody was given. */
export function strangerOf(url: string): Client {
  return { url, clientId: "0".repeat(32), clientSecret: "0".repeat(64), callbackSecret: "" };
}

/** A service that behaves as given, one request after the other, and then as the last says. */
export async function startFake(...behaviours: [Behaviour, ...Behaviour[]]) {
  const times: number[] = [];
  const fake = await startReceiver((response) => {
    times.push(Date.now());
    const behave = behaviours[Math.min(times.length, behaviours.length) - 1];
    behave?.(response);
  });
  fakes.push(fake);
  return { ...fake, times };
}

/** A client of a website where both numbers have subscribed. */
export const makeSender = (url: string): Promise<Client> => makeClient(url, NOWHERE, [PHONE, OTHER]);
