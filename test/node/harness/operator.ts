import { vi } from "vitest";
import { main } from "../../../scripts/operator/cli.ts";
import { run } from "./processes.ts";
import { TOKEN } from "./service.ts";

export interface Outcome {
  code: number | null;
  /** What it has written, to both streams. */
  output: string;
}

/** `npm run operator -- …` in this process: starting Node for each takes half a second. One at a time. */
export async function operator(url: string, args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  for (const [name, value] of Object.entries({ TEXTGATE_URL: url, OPERATOR_TOKEN: TOKEN, ...env }))
    vi.stubEnv(name, value);
  const lines: string[] = [];
  const write = (line: string) => void lines.push(`${line}\n`);
  const spies = [
    vi.spyOn(console, "log").mockImplementation(write),
    vi.spyOn(console, "error").mockImplementation(write),
  ];
  try {
    const code = await main(args);
    return { code, output: lines.join("") };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

/** The same in a process of its own, as the shell runs it. */
export async function operatorProcess(
  url: string,
  args: string[],
  { env = {}, input = "" }: { env?: Record<string, string>; input?: string } = {},
): Promise<Outcome> {
  const where = { TEXTGATE_URL: url, OPERATOR_TOKEN: TOKEN, ...env };
  const cli = run(process.execPath, ["scripts/operator/main.ts", ...args], { env: where, input });
  return { code: await cli.exited, output: cli.output() };
}
