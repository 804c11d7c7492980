import { run } from "../harness/processes.ts";

/** `npm run deploy:check`, without npm. */
export async function check(args: string[], { env = {}, input = "" } = {}) {
  const given = { CLOUDFLARE_ENV: "", OPERATOR_TOKEN: "", ...env };
  const command = run(process.execPath, ["scripts/deploy-check.ts", ...args], { env: given, input });
  return { code: await command.exited, output: command.output() };
}
