import { describe, expect, test } from "vitest";
import { check } from "./run-command.ts";

describe("npm run deploy:check", () => {
  test.each([
    [["--live"], "Unknown option '--live'"],
    [["--url", "sms.textgate.test"], '"sms.textgate.test" is not an http or https URL'],
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
