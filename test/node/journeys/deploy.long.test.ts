import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Unstable_Config as Config, experimental_getWranglerCommands, unstable_readConfig } from "wrangler";
import { runWrangler } from "../../../scripts/wrangler.ts";
import { type Call, DATABASE_ID } from "../harness/cloudflare-stand-in.ts";
import { Follower } from "../harness/followed-page.ts";
import { type Run, waitFor } from "../harness/processes.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { type Folder, findFreePort, makeFolder, runStart } from "../harness/service.ts";
import { uncomment, wranglerToml } from "../harness/wrangler-toml.ts";
import { DEPLOYING, DOMAIN, linesOf, RESTORING } from "./deployment-pages.ts";

const SECRETS = { TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`, TWILIO_AUTH_TOKEN: "a".repeat(32) };

const PROGRAMS = ["bash", "curl", "openssl"].filter((name) => spawnSync(name, ["--version"]).error !== undefined);
if (PROGRAMS.length > 0) console.warn(`${PROGRAMS.join(", ")} missing: docs/deploying.md is not followed`);

/** In place of lines that name the internet. @throws Error when the page has no such line */
function replaceLine(lines: string[], line: string, by: string): string[] {
  if (!lines.includes(line)) throw new Error(`the page has no line ${line}`);
  return lines.map((it) => (it === line ? by : it));
}

const TOML = DEPLOYING.findIndex(({ language }) => language === "toml");
const ZONE = DEPLOYING.findIndex(({ heading }) => heading.includes("The zone"));
const URL_LINE = "export TEXTGATE_URL=https://$DOMAIN";
const CALLBACK_LINE = "export CALLBACK_URL=https://example.com/callbacks";

describe.skipIf(PROGRAMS.length > 0)("docs/deploying.md, followed by its letter", () => {
  let follower: Follower;
  let folder: Folder;
  let service: Run;
  let url: string;
  let twilio: Receiver;
  let client: Receiver;
  let calls: Call[];

  beforeAll(async () => {
    client = await startReceiver();
    twilio = await startReceiver((response) => response.writeHead(201).end('{"sid":"SM1"}'));
    follower = new Follower(wranglerToml(), SECRETS);
    const values = linesOf(DEPLOYING.slice(0, TOML));
    await follower.run(replaceLine(values, CALLBACK_LINE, `export CALLBACK_URL=${client.url}`));
    follower.wranglerToml = uncomment(wranglerToml(), DEPLOYING[TOML]?.lines ?? [])
      .replaceAll("sms.example.com", DOMAIN)
      .replaceAll("00000000-0000-0000-0000-000000000000", printedId());
    await follower.run(linesOf(DEPLOYING.slice(TOML, ZONE)));
    const state = join(follower.folder, "state");
    await Promise.all([
      startDeployed(),
      rehearse(follower.checkout, "deploy", "--dry-run", "--outdir", join(follower.folder, "out")),
      rehearse(joinMigrations(), "d1", "migrations", "apply", "DB", "--local", "--persist-to", state),
    ]);
    await follower.run(replaceLine(linesOf(DEPLOYING.slice(ZONE)), URL_LINE, `export TEXTGATE_URL=${url}`));
    const restoring = linesOf(RESTORING).map((line) => line.replace(/--to \S+/, `--to ${new Date().toISOString()}`));
    await follower.run(restoring);
    calls = follower.calls();
  });

  afterAll(async () => {
    service?.child.kill("SIGTERM");
    await service?.exited;
    await Promise.all([twilio?.close(), client?.close()]);
    folder?.remove();
    follower?.remove();
  });

  /** What "d1 create" has printed. */
  function printedId(): string {
    return /database_id = "(.+)"/.exec(follower.output)?.[1] ?? "";
  }

  /** The real wrangler, as far as it goes without an account. */
  function rehearse(checkout: string, ...args: string[]): Promise<void> {
    return runWrangler(follower.folder, ...args, "--env=", "--cwd", checkout);
  }

  /** wrangler starts a workerd of its own for each file: here one has the statements of all. */
  function joinMigrations(): string {
    const joined = join(follower.folder, "joined");
    mkdirSync(join(joined, "migrations"), { recursive: true });
    copyFileSync(join(follower.checkout, "wrangler.toml"), join(joined, "wrangler.toml"));
    const files = readdirSync("migrations").sort();
    const texts = files.map((file) => readFileSync(join("migrations", file), "utf8"));
    writeFileSync(join(joined, "migrations", files.at(-1) ?? ""), texts.join("\n"));
    return joined;
  }

  /** The service with what the page has set. It runs here, so this is its origin: loopback may then be called back. */
  async function startDeployed(): Promise<void> {
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    folder = makeFolder();
    const { vars } = readToml("");
    const secrets = follower.calls().flatMap(({ args, input }) => (args[1] === "put" ? [[args[2], input]] : []));
    const settings = { ...vars, ...Object.fromEntries(secrets), PUBLIC_ORIGIN: url, TWILIO_API_URL: twilio.url };
    const flags = Object.entries(settings).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
    service = await runStart(folder, port, flags);
  }

  function readToml(env: string): Config {
    return unstable_readConfig({ config: join(follower.checkout, "wrangler.toml"), env }, { hideWarnings: true });
  }

  const commands = (env: string) =>
    calls.filter((call) => call.env === env).map(({ args }) => args.filter((arg) => !arg.startsWith("-")).join(" "));

  test("makes the database first, migrates it before the Worker is there, and sets each secret that it has shown", () => {
    expect(commands("").slice(0, 9)).toEqual([
      "d1 create textgate enam",
      "queues create textgate-messages-dead",
      "d1 migrations apply DB",
      "deploy",
      "secret put OPERATOR_TOKEN",
      "secret put SERVICE_KEY",
      "secret put TWILIO_ACCOUNT_SID",
      "secret put TWILIO_AUTH_TOKEN",
      "secret list",
    ]);
    const [token = "", key = ""] = calls.filter(({ args }) => args[1] === "put").map(({ input }) => input);
    expect([token, key]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(key).not.toBe(token);
    expect(follower.output).toContain(`OPERATOR_TOKEN=${token}\nSERVICE_KEY=${key}\n`);
  });

  test("fills in wrangler.toml with the location's region, and leaves nothing for deploy:check", () => {
    expect(printedId()).toBe(DATABASE_ID);
    const { d1_databases, routes, placement, vars } = readToml("");
    expect(d1_databases[0]).toMatchObject({ database_id: DATABASE_ID });
    expect(routes).toEqual([{ pattern: DOMAIN, custom_domain: true }]);
    const { LIMITER_LOCATION: location, PUBLIC_ORIGIN } = vars;
    expect(PUBLIC_ORIGIN).toBe(`https://${DOMAIN}`);
    expect(linesOf(DEPLOYING)).toContain(`export LOCATION=${location}`);
    const page = readFileSync("docs/deploying.md", "utf8");
    expect(page).toMatch(
      new RegExp(`^\\| \`${location}\` \\|.*\\| \`${(placement as { region: string }).region}\` \\|$`, "m"),
    );
    expect(follower.output.match(/^textgate: .+$/gm)).toEqual([
      "textgate: nothing to fix. Not checked: the secrets and carriers (--secrets), the running service (--url).",
      "textgate: nothing to fix.",
    ]);
  });

  test("sends the first text through the carrier, and calls the client back", async () => {
    const [submission] = await waitFor("the text", () => twilio.received.length > 0 && twilio.received);
    const form = Object.fromEntries(new URLSearchParams(submission?.body));
    expect(form).toMatchObject({ To: "+12125550100", From: "+12125550000", Body: "Brand: hello" });
    expect(form.StatusCallback?.startsWith(`${url}/carriers/twilio/receipts?`)).toBe(true);
    await waitFor("the callback", () => client.received.length > 0);
    expect(client.received.map(({ body }) => JSON.parse(body).status)).toEqual(["SENDING"]);
    expect(follower.output).toMatch(/"status":"ok"/);
    expect(follower.output).toMatch(/^problems +none$/m);
    expect(follower.output).toContain("Imported: 1");
  });

  test("gives staging stores and a token of its own", () => {
    expect(commands("staging")).toEqual([
      "d1 create textgate-staging enam",
      "queues create textgate-staging-messages-dead",
      "d1 migrations apply DB",
      "deploy",
      "secret put OPERATOR_TOKEN",
    ]);
    const deploys = calls.filter(({ args }) => args[0] === "deploy").map(({ args }) => args);
    expect(deploys).toEqual([
      ["deploy", "--env="],
      ["deploy", "--env=staging"],
    ]);
    const tokens = calls.filter(({ args }) => args[2] === "OPERATOR_TOKEN").map(({ input }) => input);
    expect(new Set(tokens).size).toBe(2);
  });

  test("creates what wrangler.toml names and a deploy does not create", () => {
    for (const env of ["", "staging"]) {
      const config = readToml(env);
      const produced = config.queues.producers?.map(({ queue }) => queue);
      const others = (config.queues.consumers ?? []).filter(({ queue }) => !produced?.includes(queue));
      const created = commands(env).filter((command) => command.includes(" create "));
      expect(created).toEqual([
        ...config.d1_databases.map((it) => `d1 create ${it.database_name} enam`),
        ...others.map(({ queue }) => `queues create ${queue}`),
      ]);
    }
  });

  test("looks, and then restores the database while no queue that submits or posts is delivered", () => {
    const { queues } = readToml("");
    const producers = (queues.producers ?? []).map(({ queue }) => queue);
    const restoring = commands("").slice(commands("").indexOf("secret list") + 1);
    expect(restoring.map((command) => command.replace(/ DB .*/s, " DB"))).toEqual([
      "d1 execute DB",
      "d1 time-travel info DB",
      ...producers.map((queue) => `queues pause-delivery ${queue}`),
      "d1 execute DB",
      "d1 time-travel info DB",
      "d1 execute DB",
      "d1 time-travel restore DB",
      "d1 migrations apply DB",
      "d1 execute DB",
      "d1 execute DB",
      ...producers.map((queue) => `queues resume-delivery ${queue}`),
    ]);
    const sql = calls.flatMap(({ args }) =>
      args.includes("--command") ? [args[args.indexOf("--command") + 1] ?? ""] : [],
    );
    expect(sql.join()).not.toMatch(/:restore|--/);
    expect(sql[3]).toMatch(/accepted_at < \d{13}\s/);
    const files = calls.filter(({ args }) => args.includes("--file")).map(({ input }) => input);
    expect(files).toEqual(["SELECT 1;\n"]);
    expect(follower.output).toContain("npx wrangler d1 time-travel restore DB --bookmark=before");
  });

  test("uses commands and flags that the installed wrangler has", () => {
    for (const { args } of calls) expect([args, findFault(args)]).toEqual([args, undefined]);
    expect(findFault(["d1", "create", "x", "--location", "mars"])).toBe("--location: mars");
    expect(findFault(["d1", "make", "x"])).toBe("no command");
    expect(findFault(["deploy", "--fast"])).toBe("--fast");
    expect(findFault(["queues", "create"])).toBe("0 for name");
  });
});

interface Option {
  type?: string;
  choices?: string[];
  alias?: string | string[];
}

interface Command {
  definition?: { type: string; args?: Record<string, Option>; positionalArgs?: string[] };
  subtree: Map<string, Command>;
}

/** @returns what wrangler would not take */
function findFault(args: string[]): string | undefined {
  const { registry, globalFlags } = experimental_getWranglerCommands() as unknown as {
    registry: Command;
    globalFlags: Record<string, Option>;
  };
  const rest = [...args];
  let command: Command | undefined = registry;
  while (command.subtree.has(rest[0] ?? "")) command = command.subtree.get(rest.shift() ?? "") as Command;
  if (command.definition?.type !== "command") return "no command";
  const { args: own = {}, positionalArgs = [] } = command.definition;
  const options: Record<string, Option> = { ...globalFlags, ...own };
  const positionals: string[] = [];
  while (rest.length > 0) {
    const arg = rest.shift() ?? "";
    if (!arg.startsWith("--")) {
      positionals.push(arg);
      continue;
    }
    const [flag = "", given] = arg.split(/=(.*)/s);
    const option = options[flag.slice(2)];
    if (!option || positionalArgs.includes(flag.slice(2))) return flag;
    const value = option.type === "boolean" ? undefined : (given ?? rest.shift());
    if (option.choices && !option.choices.includes(value ?? "")) return `${flag}: ${value}`;
  }
  const required = positionalArgs.filter((name) => (own[name] as { demandOption?: boolean }).demandOption);
  if (positionals.length < required.length || positionals.length > positionalArgs.length)
    return `${positionals.length} for ${positionalArgs.join(" ")}`;
  return undefined;
}
