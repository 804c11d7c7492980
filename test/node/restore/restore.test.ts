// The steps of `npm run restore`, on a stand-in for Cloudflare that forgets what Time Travel forgets, and fails where a test says.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Progress } from "../../../scripts/restore/progress.ts";
import { Restore } from "../../../scripts/restore/restore.ts";

const NOW = Date.parse("2026-11-21T14:00:00Z");
const RESTORE_TO = Date.parse("2026-11-21T12:00:00Z");
const optOutOf = (person: string) =>
  `INSERT INTO subscription_changes VALUES ('${person}'); INSERT INTO subscriptions VALUES ('${person}');`;
const TOMBSTONE =
  "INSERT OR REPLACE INTO erased_people (website_id, mark, last_stop_at) VALUES ('brand', X'00', NULL);";
const DATABASES = ["DB", "DB_2"];
const QUEUES = ["textgate-messages", "textgate-callbacks"];

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "textgate-restore-")), "progress");
});

afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

interface Database {
  isOld: boolean;
  isChanged: boolean;
  /** Who has opted out since the time that is restored. */
  optOuts: string[];
}

/** Cloudflare, and what is true of it. Each call of wrangler takes a minute. */
class Cloudflare {
  readonly calls: string[] = [];
  readonly printed: string[] = [];
  readonly paused = new Set<string>();
  readonly databases = new Map(
    DATABASES.map((name): [string, Database] => [name, { isOld: false, isChanged: false, optOuts: ["ada"] }]),
  );
  readonly restoredAt = new Map<string, string>();
  claims: (number | undefined)[] = [0];
  now = NOW;
  waited = 0;
  /** The number of the call that fails, from 1: before its effect, or after it. */
  failing: { call: number; hasEffect: boolean } | undefined;
  /** Dora texts STOP to a website of the last database, right before this call. */
  stopBefore = 0;

  start(): Restore {
    return new Restore({
      ...{ restoreTo: RESTORE_TO, databases: DATABASES, queues: QUEUES, progress: new Progress(folder) },
      wrangler: (...command) => this.#run(command),
      readClaims: async () => (this.claims.length > 1 ? this.claims.shift() : this.claims[0]),
      wait: async (milliseconds) => {
        this.now += milliseconds;
        this.waited += milliseconds;
      },
      now: () => this.now,
      print: (line) => this.printed.push(line),
    });
  }

  async #run(command: string[]): Promise<string> {
    this.now += 60_000;
    this.calls.push(command.slice(0, 4).join(" "));
    if (this.stopBefore === this.calls.length) this.databases.get("DB_2")?.optOuts.push("dora");
    const isFailing = this.failing?.call === this.calls.length;
    if (isFailing && !this.failing?.hasEffect) throw new Error("no connection");
    const output = this.#answer(command);
    if (isFailing) throw new Error("no connection");
    return output;
  }

  #answer(command: string[]): string {
    const [group, action = "", name = ""] = command;
    if (group === "queues") {
      if (action === "pause-delivery") this.paused.add(name);
      else this.paused.delete(name);
      return "";
    }
    const isTimeTravel = action === "time-travel";
    const database = this.databases.get(
      isTimeTravel ? (command[3] ?? "") : action === "migrations" ? (command[3] ?? "") : name,
    );
    if (!database) throw new Error(`no such database: ${command.join(" ")}`);
    const bookmark = database.isOld ? "after" : "before";
    if (isTimeTravel && name === "info")
      return command.includes("--timestamp") ? '{"bookmark": "then"}' : `{"bookmark": "${bookmark}"}`;
    if (isTimeTravel) {
      if (this.paused.size < QUEUES.length) throw new Error("it is restored while jobs are delivered");
      Object.assign(database, { isOld: true, isChanged: false, optOuts: [] });
      return `{"bookmark": "then", "previous_bookmark": "${bookmark}"}`;
    }
    if (action === "migrations") return "";
    return this.#execute(name, database, command);
  }

  #execute(name: string, database: Database, command: string[]): string {
    const sql = command[command.indexOf("--command") + 1] ?? "";
    if (command.includes("--file")) {
      const text = readFileSync(command[command.indexOf("--file") + 1] ?? "", "utf8");
      for (const [, person = ""] of text.matchAll(/INTO subscriptions VALUES \('(\w+)'\);\n/g))
        if (!database.optOuts.includes(person)) database.optOuts.push(person);
    } else if (sql.startsWith("SELECT")) {
      if (!sql.includes(`changed_at >= ${RESTORE_TO}`)) throw new Error("the time is missing");
      const statements = database.optOuts.length > 0 ? [...database.optOuts.map(optOutOf), TOMBSTONE] : [];
      return JSON.stringify([{ success: true, results: statements.map((it) => ({ statements: it })) }]);
    } else {
      if (!database.isOld) throw new Error("it is changed before it is restored");
      const [, at = ""] = /accepted_at < (\d{13})/.exec(sql) ?? [];
      this.restoredAt.set(name, at);
      database.isChanged = true;
    }
    return "";
  }
}

const isWhole = { isOld: true, isChanged: true, optOuts: ["ada"] };

describe("npm run restore", () => {
  it("keeps of every database before it restores one, and delivers jobs again at the end", async () => {
    const cloudflare = new Cloudflare();
    await cloudflare.start().run();
    expect(cloudflare.calls).toEqual([
      ...["queues pause-delivery textgate-messages", "queues pause-delivery textgate-callbacks"],
      ...["d1 execute DB --remote", "d1 execute DB_2 --remote"],
      ...["d1 time-travel info DB", "d1 execute DB --remote", "d1 time-travel restore DB"],
      ...["d1 time-travel info DB_2", "d1 execute DB_2 --remote", "d1 time-travel restore DB_2"],
      ...["d1 migrations apply DB", "d1 execute DB --remote", "d1 execute DB --remote"],
      ...["d1 migrations apply DB_2", "d1 execute DB_2 --remote", "d1 execute DB_2 --remote"],
      ...["queues resume-delivery textgate-messages", "queues resume-delivery textgate-callbacks"],
    ]);
    expect([...cloudflare.databases.values()]).toEqual([isWhole, isWhole]);
    expect(cloudflare.printed).toContain("  npx wrangler d1 time-travel restore DB_2 --bookmark=before");
    expect(cloudflare.printed.filter((line) => line.startsWith("An opt-out"))).toEqual([
      expect.stringContaining("between 2026-11-21T14:05:00.000Z and 2026-11-21T14:07:00.000Z"),
      expect.stringContaining("between 2026-11-21T14:08:00.000Z and 2026-11-21T14:10:00.000Z"),
    ]);
  });

  it("leaves no number of a person behind, and is not done twice by mistake", async () => {
    const cloudflare = new Cloudflare();
    await cloudflare.start().run();
    expect(readdirSync(folder)).toEqual(["progress.json"]);
    const calls = cloudflare.calls.length;
    await expect(cloudflare.start().run()).rejects.toThrow(`To do it again, delete ${folder}`);
    expect(cloudflare.calls).toHaveLength(calls);
  });

  const CALLS = 18;
  const FAILURES = Array.from({ length: CALLS }, (_, index) =>
    [false, true].map((hasEffect) => ({ call: index + 1, hasEffect })),
  ).flat();

  /** Whatever fails, and whether it had happened: the same command ends with the same, and nothing that was kept is lost. */
  it.each(FAILURES)("goes on after call $call has failed, with its effect: $hasEffect", async (failing) => {
    const cloudflare = new Cloudflare();
    cloudflare.failing = failing;
    await expect(cloudflare.start().run()).rejects.toThrow("no connection");
    expect(cloudflare.printed.at(-1)).toContain("Run the same command again");
    if (existsSync(folder))
      for (const file of readdirSync(folder)) expect(file).toMatch(/^(progress\.json|DB(_2)?\.sql)$/);
    cloudflare.failing = undefined;
    cloudflare.now += 3_600_000;
    await cloudflare.start().run();
    expect([...cloudflare.databases.values()]).toEqual([isWhole, isWhole]);
    expect(cloudflare.paused.size).toBe(0);
    for (const name of DATABASES)
      expect(cloudflare.printed).toContain(`  npx wrangler d1 time-travel restore ${name} --bookmark=before`);
    // The time before the first attempt to restore: what was accepted since is new, and is sent.
    const first = (name: string) => NOW + 60_000 * cloudflare.calls.indexOf(`d1 time-travel restore ${name}`);
    for (const name of failing.call <= 6 ? [] : ["DB"])
      expect(Number(cloudflare.restoredAt.get(name))).toBe(first(name));
  });

  /** Nothing can save the STOP that comes between the last look at a database and its restore: that is one call of wrangler. */
  it.each(FAILURES)("loses no STOP, where call $call fails, with its effect: $hasEffect", async (failing) => {
    const lost: string[] = [];
    for (let stopBefore = 1; stopBefore <= CALLS + failing.call; stopBefore++) {
      rmSync(folder, { recursive: true, force: true });
      const cloudflare = new Cloudflare();
      Object.assign(cloudflare, { failing, stopBefore });
      await expect(cloudflare.start().run()).rejects.toThrow("no connection");
      cloudflare.failing = undefined;
      await cloudflare.start().run();
      expect(cloudflare.databases.get("DB_2")?.optOuts).toContain("ada");
      if (cloudflare.calls.length >= stopBefore && !cloudflare.databases.get("DB_2")?.optOuts.includes("dora"))
        lost.push(cloudflare.calls[stopBefore - 1] ?? "");
    }
    expect(new Set(lost)).toEqual(new Set(["d1 time-travel restore DB_2"]));
  });

  it("keeps numbers in files that only their owner reads", async () => {
    const cloudflare = new Cloudflare();
    cloudflare.failing = { call: 7, hasEffect: false };
    await expect(cloudflare.start().run()).rejects.toThrow();
    expect(readdirSync(folder).sort()).toEqual(["DB.sql", "DB_2.sql", "progress.json"]);
    expect(statSync(join(folder, "DB.sql")).mode & 0o777).toBe(0o600);
  });

  it("waits until no run is at work", async () => {
    const cloudflare = new Cloudflare();
    cloudflare.claims = [20, undefined, 3, 0];
    await cloudflare.start().run();
    expect(cloudflare.waited).toBe(30_000);
  });

  it.each([7, undefined])("waits 16 minutes at most, when %s messages stay at work", async (claims) => {
    const cloudflare = new Cloudflare();
    cloudflare.claims = [claims];
    await cloudflare.start().run();
    expect(cloudflare.waited).toBe(16 * 60_000);
    expect([...cloudflare.databases.values()]).toEqual([isWhole, isWhole]);
  });

  it("has nothing to bring back where nobody has opted out", async () => {
    const cloudflare = new Cloudflare();
    for (const database of cloudflare.databases.values()) database.optOuts = [];
    await cloudflare.start().run();
    expect(cloudflare.calls).toHaveLength(16);
    expect(cloudflare.printed.join("\n")).toContain("Kept 0 opt-outs and 0 tombstones of DB");
    expect(cloudflare.printed.slice(-4)).toEqual([
      "  npx wrangler d1 time-travel restore DB --bookmark=before",
      "  npx wrangler d1 time-travel restore DB_2 --bookmark=before",
      "Later, that would send again what was sent since this restore, and forget who has opted out since.",
      expect.stringContaining("repeat what operators have done"),
    ]);
  });
});

describe("npm run restore --dry-run", () => {
  it("says what would be done and kept, and changes nothing", async () => {
    const cloudflare = new Cloudflare();
    cloudflare.claims = [20];
    await cloudflare.start().show();
    expect(cloudflare.calls).toEqual([
      ...["d1 execute DB --remote", "d1 time-travel info DB", "d1 execute DB_2 --remote", "d1 time-travel info DB_2"],
    ]);
    expect(cloudflare.printed).toEqual([
      "Dry run: nothing is changed. A restore to 2026-11-21T12:00:00.000Z would",
      "1. pause textgate-messages, textgate-callbacks, and wait until no run is at work (now: 20), at most 16 minutes;",
      "2. keep 1 opt-out and 1 tombstone of DB, and restore it to the bookmark then;",
      "3. keep 1 opt-out and 1 tombstone of DB_2, and restore it to the bookmark then;",
      "4. migrate, bring back what was kept, mark as sent what waited then, and resume the queues.",
    ]);
    expect([existsSync(folder), cloudflare.waited, cloudflare.paused.size]).toEqual([false, 0, 0]);
    expect([...cloudflare.databases.values()]).toEqual(
      DATABASES.map(() => ({ isOld: false, isChanged: false, optOuts: ["ada"] })),
    );
  });
});

describe("the command line", () => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  /** Before anything is asked of Cloudflare: there is no wrangler on its path. */
  it.each([
    [[], "--to must be a time"],
    [["--to", "yesterday", "--yes"], '"yesterday"'],
    [["--to", "2026-11-21T12:00:00", "--yes"], "with its offset"],
    [["--to", "2026-11-31T25:00:00Z", "--yes"], "--to must be a time"],
    [["--to", at(1), "--yes"], "--to is in the future"],
    [["--to", at(-31), "--yes"], "more than 30 days ago"],
    [["--to", at(-1)], "give --dry-run to look, or --yes"],
    [["--to", at(-1), "--yes", "--dry-run"], "give --dry-run to look, or --yes"],
    [["--to", at(-1), "--dryrun"], "--dryrun"],
  ])("is refused: %j", async (args, told) => {
    const env = { ...process.env, PATH: "" };
    const failure = await promisify(execFile)(process.execPath, ["scripts/restore/main.ts", ...args], { env }).then(
      () => undefined,
      (error) => error,
    );
    expect([failure?.code, failure?.stdout, failure?.stderr]).toEqual([1, "", expect.stringContaining(told)]);
    expect(failure?.stderr).toContain("npm run restore -- --to <time> (--dry-run | --yes)");
  });
});
