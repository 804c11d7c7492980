/** Starts and stops a Kannel (bearerbox and smsbox) for a test, with everything it writes in one directory. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ADMIN_PASSWORD,
  type KannelPorts,
  receiptSpool,
  renderConfig,
  SENDSMS_USER,
  SMSC_ID,
} from "./kannel-config.ts";

export const KANNEL_INSTALL_HINT = "sudo apt-get install --no-install-recommends kannel";

export interface KannelOptions {
  /** Where the SMSC listens on loopback. It has to be there: Kannel counts as started once it is bound. */
  smscPort: number;
  /** Called for messages from phones, for example `http://127.0.0.1:8787/inbound?from=%p&to=%P&text=%b`. */
  inboundUrl: string;
  /** Kept after stop() when given; otherwise a temporary one that stop() removes. */
  dir?: string;
  /** Whether kill() leaves on disk what has been accepted (see kannel-config.ts for what that promises). */
  store?: boolean;
  /** Whether texts are handed over in UTF-8, whatever their coding. Default: true. */
  recodes?: boolean;
}

export interface Kannel {
  readonly sendSmsUrl: string;
  readonly username: string;
  readonly password: string;
  readonly dir: string;
  /** Until bearerbox has noticed that its SMSC is gone: what it takes from now on, it queues. */
  untilUnbound(): Promise<void>;
  /** SIGKILL to both processes: what a crash of the gateway leaves. */
  kill(): Promise<void>;
  /** Starts again on the same directory and ports, after kill() or from running. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 1_000;
const POLL_MS = 50;
const LOG_TAIL_LINES = 30;

/** The SMSC's line on bearerbox's status page once the SMPP session is bound, and once that has ended. */
const SMSC_ONLINE = new RegExp(`^\\s*${SMSC_ID}\\b.*\\(online`, "m");
const SMSC_AWAY = new RegExp(`^\\s*${SMSC_ID}\\b.*\\(re-connecting`, "m");

/** Debian puts both programs where an ordinary user's PATH does not look. */
const SEARCH_PATH = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];

export function kannelInstalled(): boolean {
  return findProgram("bearerbox") !== undefined && findProgram("smsbox") !== undefined;
}

export async function startKannel(options: KannelOptions): Promise<Kannel> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), "textgate-kannel-"));
  const ports = await choosePorts();
  const kannel = new KannelProcesses(dir, ports, options.dir === undefined);
  try {
    const { smscPort, inboundUrl, store = false, recodes = true } = options;
    mkdirSync(receiptSpool(dir), { recursive: true });
    const config = renderConfig({ dir, ports, smscPort, inboundUrl, store, recodes });
    writeFileSync(join(dir, "kannel.conf"), config);
    await kannel.start();
  } catch (error) {
    await kannel.stop();
    throw error;
  }
  return kannel;
}

class KannelProcesses implements Kannel {
  readonly sendSmsUrl: string;
  readonly username = SENDSMS_USER.username;
  readonly password = SENDSMS_USER.password;
  readonly dir: string;

  readonly #ports: KannelPorts;
  readonly #removeDir: boolean;
  #boxes: Box[] = [];

  constructor(dir: string, ports: KannelPorts, removeDir: boolean) {
    this.dir = dir;
    this.#ports = ports;
    this.#removeDir = removeDir;
    this.sendSmsUrl = `http://127.0.0.1:${ports.sendSms}/cgi-bin/sendsms`;
    process.once("exit", this.#killNow);
  }

  /** One after the other: a smsbox that finds no bearerbox gives up at once. */
  async start(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    const bearerbox = this.#startBox("bearerbox");
    await bearerbox.until("takes connections", deadline, () => accepts(this.#ports.boxes));
    const smsbox = this.#startBox("smsbox");
    // It opens its HTTP port up to a second before bearerbox has let it in, so the port alone says too little.
    await smsbox.until("serves sendsms", deadline, () => accepts(this.#ports.sendSms));
    await smsbox.until("has joined bearerbox", deadline, () => this.#statusShows(/^\s*smsbox:.*\(on-line/m));
    await bearerbox.until("is bound to the SMSC", deadline, () => this.#statusShows(SMSC_ONLINE));
  }

  async untilUnbound(): Promise<void> {
    const [bearerbox] = this.#boxes;
    await bearerbox?.until("is not bound", Date.now() + START_TIMEOUT_MS, () => this.#statusShows(SMSC_AWAY));
  }

  async kill(): Promise<void> {
    this.#killNow();
    await Promise.all(this.#boxes.map((box) => box.exited));
    this.#boxes = [];
  }

  async restart(): Promise<void> {
    await this.#terminate();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#terminate();
    process.off("exit", this.#killNow);
    if (this.#removeDir) rmSync(this.dir, { recursive: true, force: true });
  }

  #startBox(name: string): Box {
    const box = new Box(name, this.dir);
    this.#boxes.push(box);
    return box;
  }

  async #statusShows(line: RegExp): Promise<boolean> {
    const url = `http://127.0.0.1:${this.#ports.admin}/status.txt?password=${ADMIN_PASSWORD}`;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      return line.test(await response.text());
    } catch {
      return false; // not there yet; whoever asks has a deadline
    }
  }

  /** smsbox first, so that bearerbox can still take what smsbox hands over. */
  async #terminate(): Promise<void> {
    for (const box of this.#boxes.reverse()) await box.terminate();
    this.#boxes = [];
  }

  /** Also the last resort when the test process ends without stop(). */
  readonly #killNow = (): void => {
    for (const box of this.#boxes) box.kill();
  };
}

/** One of Kannel's programs. It stays in the foreground as our child, and writes its log to `<name>.log`. */
class Box {
  readonly exited: Promise<void>;
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #log: string;
  #ended = false;

  constructor(name: string, dir: string) {
    const program = findProgram(name);
    if (!program) throw new Error(`${name} is not installed: ${KANNEL_INSTALL_HINT}`);
    this.#name = name;
    this.#log = join(dir, `${name}.log`);
    const log = openSync(this.#log, "a");
    this.#process = spawn(program, ["-v", "1", join(dir, "kannel.conf")], { cwd: dir, stdio: ["ignore", log, log] });
    closeSync(log);
    this.exited = new Promise((resolve) => {
      for (const event of ["exit", "error"]) {
        this.#process.once(event, () => {
          this.#ended = true;
          resolve();
        });
      }
    });
  }

  /** Waits for a state this program is to reach. */
  async until(state: string, deadline: number, reached: () => Promise<boolean>): Promise<void> {
    while (!(await reached())) {
      const problem = this.#ended ? "ended" : Date.now() > deadline ? "is too late" : undefined;
      if (problem) throw new Error(`Kannel's ${this.#name} ${problem}: waited until it ${state}\n${this.#logTail()}`);
      await sleep(POLL_MS);
    }
  }

  /** SIGTERM, and SIGKILL when that is not obeyed in time. */
  async terminate(): Promise<void> {
    if (this.#ended) return;
    this.#process.kill("SIGTERM");
    const timer = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  #logTail(): string {
    const lines = readFileSync(this.#log, "utf8").trimEnd().split("\n");
    return lines.slice(-LOG_TAIL_LINES).join("\n");
  }
}

function findProgram(name: string): string | undefined {
  return SEARCH_PATH.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

async function choosePorts(): Promise<KannelPorts> {
  const [admin, boxes, sendSms] = [await freePort(), await freePort(), await freePort()];
  return new Set([admin, boxes, sendSms]).size === 3 ? { admin, boxes, sendSms } : choosePorts();
}

/**
 * Below the range the system takes for outgoing connections (32768 and up on Linux), so that none of them can sit on
 * the port while the gateway is down between kill() and restart().
 */
async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await canListen(port)) return port;
  }
  throw new Error("no free port between 20000 and 32000");
}

function canListen(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const accepted = new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.setTimeout(PROBE_TIMEOUT_MS, () => resolve(false));
  });
  return accepted.finally(() => socket.destroy());
}
