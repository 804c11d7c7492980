/** Who plays with the numbers of the sandbox, or tries an endpoint with it, wakes nobody. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SandboxStage } from "./sandbox-stage.ts";

let at: SandboxStage;

beforeEach(async () => {
  at = await SandboxStage.begin();
});

afterEach(() => {
  vi.restoreAllMocks();
});

it("no failing number and no failing endpoint of the sandbox is a problem, and all are counted", async () => {
  await at.expectNoProblem(1, 2);
  // A deployed service is told that a website uses the sandbox, and of nothing else.
  expect((await at.look("https://sms.example.com")).problems).toEqual(["sandbox-in-use"]);
});
