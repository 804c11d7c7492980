import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SandboxStage } from "./sandbox-stage.ts";

let at: SandboxStage;

beforeEach(async () => {
  at = await SandboxStage.begin();
});

afterEach(() => {
  vi.restoreAllMocks();
});

it("no failing number and no failing endpoint of the sandbox is a problem, in any minute of an hour, and all are counted", async () => {
  await at.expectNoProblem(4, 60);
});

it("a deployed service is still told that a website uses the sandbox, and of nothing else", async () => {
  await at.play(3);
  expect((await at.look("https://sms.example.com")).problems).toEqual(["sandbox-in-use"]);
});
