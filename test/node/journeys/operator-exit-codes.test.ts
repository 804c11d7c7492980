import { beforeAll, describe, expect, test, vi } from "vitest";
import { operator as call } from "../harness/operator.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

const operator = (args: string[], { env = {} } = {}) => call(service.url, args, env);

describe("help", () => {
  test.each([["--help"], ["help"]])("%s names every command and the exit codes", async (flag) => {
    const { code, output } = await operator([flag], { env: { OPERATOR_TOKEN: "" } });
    expect(code).toBe(0);
    for (const command of [
      "websites",
      "put-website <websiteId>",
      "message <messageId>",
      "put-back <jobId or --all>",
      "Exit codes",
    ]) {
      expect(output).toContain(command);
    }
  });

  test("of a command explains its options", async () => {
    const { code, output } = await operator(["put-website", "--help"]);
    expect(code).toBe(0);
    expect(output).toMatch(/--opt-out-words <list> +Further words .*With commas between\..*--url <url>/s);
    expect(output).toContain("Fields that are left out stay as they are");
  });
});

describe("exit codes", () => {
  const nobody = "0".repeat(32);

  test.each([
    [["website", "no-such"], /^40401 There is no such website\./],
    [["change-client", nobody, "--suspend"], /^40401 There is no such client\./],
    [["put-website", "shop2", "--name", "Shop", "--carrier", "pigeon"], /^40001 carrier: must be one of.*\n$/],
    [["message", "x", "--token", "wrong"], /^40101 .*\nhttp\S+ rejected the token/],
  ])("1 for what the service refuses: %j", async (args, output) => {
    expect(await operator(args)).toEqual({ code: 1, output: expect.stringMatching(output) });
  });

  test("1 with the error's JSON", async () => {
    const { code, output } = await operator(["website", "no-such", "--json"]);
    expect({ code, error: JSON.parse(output) }).toMatchObject({ code: 1, error: { code: 40401, details: [] } });
  });

  test.each([
    [[], "a command is missing"],
    [["fly"], 'there is no command "fly"'],
    [["website"], "it takes <websiteId>"],
    [["website", "a", "b"], "it takes <websiteId>"],
    [["websites", "--suspend"], "there is no option --suspend"],
    [["put-back"], "it takes <jobId or --all>"],
    [["put-back", "a", "--all"], "it takes <jobId or --all>"],
    [["decide", "demo", "sandbox", "text-1"], "one of these is missing: --opt-out, --no-opt-out, --take-back\n"],
    [["change-client", nobody], "nothing to change is given"],
    [["change-client", nobody, "--suspend", "--resume"], "exclude each other"],
    [["rotate-client", nobody, "--grace-seconds", "soon"], "must be a whole number"],
    [["import-subscribers", "demo", "/no/such/file.csv"], "cannot read /no/such/file.csv"],
    [["websites", "--url", "example.com"], "is not an http or https URL"],
    [["put-website", "shop", "--frequency-cap", "3 a day"], "--frequency-cap must be JSON"],
  ])("2 for wrong usage: %j", async (args, output) => {
    expect(await operator(args)).toEqual({ code: 2, output: expect.stringContaining(output) });
  });

  test("3 when nothing answers", async () => {
    expect(await operator(["websites", "--url", "http://127.0.0.1:9"])).toEqual({
      code: 3,
      output:
        "The service does not answer at http://127.0.0.1:9. Start it with npm start, or name a deployed service with --url or TEXTGATE_URL.\n",
    });
    vi.spyOn(globalThis, "fetch").mockRejectedValueOnce(new TypeError("fetch failed"));
    expect(await operator(["end-token", "ada", "--url", "https://sms.example.com"])).toEqual({
      code: 3,
      output:
        "The service does not answer at https://sms.example.com. Check the address, and Cloudflare's status page. A change may be made although its answer is lost: see audit.\n",
    });
  });
});
