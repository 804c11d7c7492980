import { describe, expect, test } from "vitest";
import { run } from "../harness/processes.ts";

const NOT_CHECKED = "Not checked: the secrets and carriers (--secrets), the running service (--url).";

async function check(args: string[], { env = {}, input = "" } = {}) {
  const given = { CLOUDFLARE_ENV: "", OPERATOR_TOKEN: "", ...env };
  const command = run(process.execPath, ["scripts/deploy-check.ts", ...args], { env: given, input });
  return { code: await command.exited, output: command.output() };
}

describe.concurrent("npm run deploy:check", () => {
  test("tells what, why and what to do, and what it has not looked at, with exit code 1", async () => {
    const { code, output } = await check([]);
    expect(code).toBe(1);
    expect(output).toMatch(/^1\. The database has no database_id\.\n {3}Why: .+\n {3}Do: {2}.+\n\n2\. /);
    expect(output).toMatch(/\n\ntextgate: \d+ to fix\. Not checked: .+\n$/);
    expect(output).toContain(NOT_CHECKED);
  });

  test("looks at the environment of CLOUDFLARE_ENV, and takes the secrets from standard input", async () => {
    const input = JSON.stringify([{ name: "OPERATOR_TOKEN", type: "secret_text" }]);
    const { output } = await check(["--secrets", "-"], { env: { CLOUDFLARE_ENV: "staging" }, input });
    expect(output).toContain("textgate-staging: ");
    expect(output).toContain("The secret SERVICE_KEY is not set.");
    expect(output).not.toContain("--secrets");
  });

  test.each([
    [["--live"], "Unknown option '--live'"],
    [["--url", "sms.textgate.test"], '"sms.textgate.test" is not an http or https URL'],
    [["--env", "stage"], "wrangler.toml has no [env.stage]"],
    [["--secrets", "nowhere.json"], "nowhere.json has no secrets: ENOENT"],
  ])("refuses %j with exit code 2", async (args, message) => {
    const { code, output } = await check(args);
    expect(code, output).toBe(2);
    expect(output.startsWith(message), output).toBe(true);
    expect(output.trim().split("\n").at(-1)).toBe("See: npm run deploy:check -- --help");
  });

  test("shows its flags", async () => {
    const { code, output } = await check(["--help"]);
    expect([code, output]).toEqual([0, expect.stringContaining("--secrets <file>")]);
  });
});
