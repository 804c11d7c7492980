// What the console shows at the first start, and the token with which a link opens it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callOperator, Refusal, type Service } from "./operator/api.ts";

const NAME = "demo";

/** Where the token stays: it is one of this state, and ends with it. @param state where the data of `npm start` stays */
export const demoOperatorFile = (state: string): string => join(state, "demo-operator-token");

/** Fills a service that has no website with a month of two brands: scripts/workers/demo/. @throws Error when it fails */
export async function fillDemo({ url, token }: Service): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/local/demo`, { method: "POST", headers, signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status} of its month: ${await answer.text()}`);
}

/** @returns the address at which the console opens signed in. A kept token that has ended is replaced. @throws Refusal, Unreachable */
export async function consoleLink(service: Service, file: string): Promise<string> {
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const token = kept !== "" && (await isValid(service.url, kept)) ? kept : await makeToken(service, file);
  return `${service.url}/console#/in/${token}`;
}

async function isValid(url: string, token: string): Promise<boolean> {
  return callOperator({ url, token }, "GET", "/tokens").then(
    () => true,
    (error) => !(error instanceof Refusal),
  );
}

async function makeToken(service: Service, file: string): Promise<string> {
  // Two tokens at most have a name.
  await callOperator(service, "DELETE", `/tokens/${NAME}`).catch((error) => {
    if (!(error instanceof Refusal) || error.body.code !== 40401) throw error;
  });
  const { token } = JSON.parse(await callOperator(service, "POST", "/tokens", { name: NAME, role: "operator" }));
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}
