// Follows a page of docs/ line by line, in a checkout of its own, with a stand-in for npm, npx and wrangler.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { ROOT } from "../../../scripts/wrangler.ts";
import { ANSWERS, type Call, readCalls } from "./cloudflare-stand-in.ts";
import { run } from "./processes.ts";

/** A block between fences, under a heading. */
export interface Block {
  heading: string;
  language: string;
  lines: string[];
}

export function readBlocks(page: string): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  let block: Block | undefined;
  for (const line of readFileSync(join(ROOT, page), "utf8").split("\n")) {
    const [, language] = /^```(\w*)$/.exec(line) ?? [];
    if (block && language === "") block = undefined;
    else if (block) block.lines.push(line);
    else if (language) {
      block = { heading, language, lines: [] };
      blocks.push(block);
    } else if (/^#+ /.test(line)) heading = line.replace(/^#+ /, "");
  }
  return blocks;
}

/** One shell, in which the lines of a page run one part after the other: what a part exports, the next has. */
export class Follower {
  readonly folder = mkdtempSync(join(tmpdir(), "textgate-followed-"));
  /** This project, but for its wrangler.toml. */
  readonly checkout = join(this.folder, "checkout");
  output = "";

  /** @param answers to wrangler's questions, by name of the secret */
  constructor(wranglerToml: string, answers: Record<string, string>) {
    mkdirSync(this.checkout);
    const shared = readdirSync(ROOT).filter((name) => name !== "wrangler.toml" && !name.startsWith("."));
    for (const name of shared) symlinkSync(join(ROOT, name), join(this.checkout, name));
    this.wranglerToml = wranglerToml;
    writeFileSync(join(this.folder, ANSWERS), JSON.stringify(answers));
    mkdirSync(join(this.folder, "bin"));
    const standIn = join(import.meta.dirname, "cloudflare-stand-in.ts");
    for (const program of ["npm", "npx", "wrangler"]) {
      const text = `#!/bin/sh\nexec node --disable-warning=ExperimentalWarning ${standIn} ${program} "$@"\n`;
      writeFileSync(join(this.folder, "bin", program), text, { mode: 0o755 });
    }
  }

  set wranglerToml(text: string) {
    writeFileSync(join(this.checkout, "wrangler.toml"), text);
  }

  /** @throws Error with the output, at the first line that fails or uses a variable that no line before has set */
  async run(lines: string[]): Promise<void> {
    const kept = join(this.folder, "kept.sh");
    const script = join(this.folder, "part.sh");
    const before = [`set -euo pipefail`, `cd ${this.checkout}`, `if [ -e ${kept} ]; then . ${kept}; fi`];
    writeFileSync(script, [...before, ...lines, `export -p > ${kept}`, ""].join("\n"));
    const path = [join(this.folder, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
    // An environment of its own: what the developer has set must not help a line.
    const compiled = `NODE_COMPILE_CACHE=${process.env.NODE_COMPILE_CACHE}`; // only makes Node start sooner
    const env = [`PATH=${path}`, `HOME=${this.folder}`, `STAND_IN=${this.folder}`, compiled];
    const shell = run("env", ["-i", ...env, "bash", script]);
    const code = await shell.exited;
    this.output += shell.output();
    if (code !== 0) throw new Error(`exit code ${code} of:\n${lines.join("\n")}\n${shell.output()}`);
  }

  calls(): Call[] {
    return readCalls(this.folder);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
