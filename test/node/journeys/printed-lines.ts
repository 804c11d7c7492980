// The lines that a start prints, run as somebody pastes them into a shell.
import { expect } from "vitest";
import { run } from "../harness/processes.ts";
import { untilStatus } from "../harness/service.ts";

interface Started {
  output(): string;
}

/** To the console, which it opens signed in. */
export const linkOf = (service: Started) => /http\S+#\/in\/op_\w+/.exec(service.output())?.[0] ?? "";

async function runPrinted(command: string): Promise<string> {
  const shell = run("bash", ["-c", command]);
  await shell.exited;
  return shell.output();
}

/** Runs the two printed curl lines. */
export async function tryPrinted(service: Started, url: string): Promise<void> {
  const lines = service.output().split("\n");
  const [send = "", ask = "", ...others] = lines.filter((line) => line.startsWith("curl "));
  expect(others).toEqual([]);
  const { messageId } = JSON.parse(await runPrinted(send));
  await untilStatus(url, messageId, "DELIVERED");
  const { phoneNumberStatuses } = JSON.parse(await runPrinted(ask));
  const answers = phoneNumberStatuses.map((it: { subscriptionStatus: boolean }) => it.subscriptionStatus);
  expect(answers).toEqual([true, true, true, false]);
}
