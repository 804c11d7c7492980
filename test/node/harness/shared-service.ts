// One service for all files of a run: a start takes as long as many tests.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "./processes.ts";
import { endAfterRun, onceInRun, prepared } from "./run-folder.ts";
import { copyState, findFreePort, startFlags } from "./service.ts";

/** With it, Twilio signs the URLs that it is given. */
export const PUBLIC_ORIGIN = "https://sms.example.com";
export const TWILIO = { TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`, TWILIO_AUTH_TOKEN: "0".repeat(32) };

const VARS = {
  ...{ ...TWILIO, PUBLIC_ORIGIN, SECURITY_CONTACT: "mailto:security@example.com" },
  // A sweep queues again what was queued a second before it.
  REQUEUE_AFTER_SECONDS: "1",
};

export interface SharedService {
  url: string;
  /** What it has written so far. */
  output(): string;
}

/**
 * The service that `npm start` has started for this run, without a month of a demo. For tests that only read it, or that change
 * websites of their own, and that look at nothing that others may change.
 */
export async function sharedService(): Promise<SharedService> {
  const place = await onceInRun("service", start);
  const output = () => readFileSync(join(place, "output"), "utf8");
  return { url: readFileSync(join(place, "url"), "utf8"), output };
}

async function start(place: string): Promise<void> {
  const [state, varsFile, port] = [join(place, "state"), join(place, "dev.vars"), await findFreePort()];
  writeFileSync(varsFile, "");
  await copyState(state);
  const vars = Object.entries(VARS).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const log = openSync(join(place, "output"), "a");
  const service = spawn("npm", ["start", "--", ...startFlags({ state, varsFile }, port), "--no-demo", ...vars], {
    env: { ...process.env, TEXTGATE_BUILT: (await prepared()).version },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  // It outlives this process, whose other files may end before those of another.
  service.unref();
  endAfterRun(service.pid ?? 0);
  const output = () => readFileSync(join(place, "output"), "utf8");
  await waitFor("the shared service to start", () => service.exitCode !== null || output().includes("Ctrl-C"));
  if (service.exitCode !== null) throw new Error(`the shared service has not started:\n${output()}`);
  writeFileSync(join(place, "url"), `http://127.0.0.1:${port}`);
}
