import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operator as call, operatorProcess } from "../harness/operator.ts";
import { type Service, startService } from "../harness/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({}, ["--databases", "2"]);
});

afterAll(() => service?.stop());

const operator = (args: string[]) => call(service.url, args);

test("a website is made in the database that is named", async () => {
  const put = await operator(["put-website", "elsewhere", "--name", "Elsewhere", "--database", "DB_2"]);
  expect(put).toMatchObject({ code: 0, output: expect.stringMatching(/^database +DB_2$/m) });
  expect(put.output).toMatch(/^carrier +sandbox$/m);
  expect((await operator(["databases"])).output).toMatch(
    /^database +status +bytes .*websites +schemaVersion\nDB +ok .* 1 +\d{4}_\w+\.sql\nDB_2 +ok .* 1 +\d{4}_\w+\.sql/,
  );
});

describe("a service to which nothing has happened", () => {
  test("says so", async () => {
    expect((await operator(["inbound", "--without-effect"])).output).toBe("texts  none\n");
    // It opens the console: npm start makes it.
    expect((await operator(["tokens"])).output).toMatch(/^name .*\ndemo +2\S+Z .*operator\n$/);
  });

  test("that no job has died of leave nothing to put back", async () => {
    expect(await operator(["dead-jobs"])).toEqual({ code: 0, output: "deadJobs  none\n" });
    expect(await operator(["put-back", "--all"])).toEqual({
      code: 0,
      output: expect.stringMatching(/^putBack +0\nleft +0\n/),
    });
    expect(await operator(["put-back", "nobody"])).toMatchObject({ code: 1, output: expect.stringMatching(/^40401 /) });
  });
});

test("subscribers are imported from standard input", async () => {
  const input = "phone_numbers,subscribed\n+12125550130,yes\n";
  const { code, output } = await operatorProcess(service.url, ["import-subscribers", "demo", "-"], { input });
  expect([code, output]).toEqual([
    0,
    expect.stringContaining("Imported: 1\n  Subscribed: 1 (1 new, 0 opted out before)\n"),
  ]);
});

describe.concurrent("the process ends with", () => {
  test.each([
    [0, ["websites"], /^websiteId /],
    [1, ["website", "no-such"], /^40401 /],
    [2, ["fly"], /there is no command "fly"/],
    [3, ["websites", "--url", "http://127.0.0.1:9"], /does not answer/],
  ])("%i", async (code, args, output) => {
    expect(await operatorProcess(service.url, args)).toEqual({ code, output: expect.stringMatching(output) });
  });
});
