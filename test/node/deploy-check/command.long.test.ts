// What loads wrangler, for a second.
import { describe, expect, test } from "vitest";
import { check } from "./run-command.ts";

const NOT_CHECKED = "Not checked: the secrets and carriers (--secrets), the running service (--url).";

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

  test("refuses an environment that wrangler.toml lacks", async () => {
    const { code, output } = await check(["--env", "stage"]);
    expect([code, output]).toEqual([2, expect.stringMatching(/^wrangler.toml has no \[env.stage\]\n/)]);
  });
});
