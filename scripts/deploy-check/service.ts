// What a running service shows of itself: GET /health, GET /openapi.json, and with the token GET /operator/health.
import { RUNBOOK } from "../../src/openapi/runbook.ts";
import { loadSource } from "../load-source.ts";
import { callOperator, Refusal, Unreachable } from "../operator/api.ts";
import type { Finding } from "./finding.ts";

const TIMEOUT_MILLISECONDS = 10_000;

/** No browser's name: protection against robots would turn this away, and with it the servers of clients and carriers. */
const USER_AGENT = "textgate-deploy-check";

export interface RunningService {
  /** Without a trailing slash. */
  url: string;
  /** undefined: /operator/health is not looked at. */
  token: string | undefined;
  /** public/openapi.json of this checkout. */
  document: string;
}

export async function checkService({ url, token, document }: RunningService): Promise<Finding[]> {
  const health = await readHealth(url);
  if ("what" in health) return [health];
  const operator = token === undefined ? undefined : await readProblems({ url, token });
  return [
    ...(await checkTransport(url)),
    ...(await explainChecks(health.failing, operator)),
    ...(await checkVersion(url, document)),
    ...(operator?.findings ?? []),
  ];
}

const isLocal = (url: string) => ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);

async function get(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, {
    headers: { "user-agent": USER_AGENT },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  });
  return { status: answer.status, text: await answer.text() };
}

/** @returns the names of the checks that fail, or what is wrong when no service answers */
async function readHealth(url: string): Promise<{ failing: string[] } | Finding> {
  let answer: { status: number; text: string };
  try {
    answer = await get(`${url}/health`);
  } catch (error) {
    const { cause, message } = error as Error;
    return {
      what: `Nothing answers at ${url}/health: ${cause instanceof Error ? cause.message : message}.`,
      why: "Neither clients nor carriers reach the service.",
      fix: "A new domain answers once its certificate is issued, some minutes after the deploy. Later, look at the Worker's domains in the dashboard.",
    };
  }
  const checks = readChecks(answer.text);
  if (checks) return { failing: Object.keys(checks).filter((name) => checks[name]?.status !== "ok") };
  const [line = ""] = answer.text.trim().split("\n");
  return {
    what: `Something else than the service answers at ${url}/health: HTTP ${answer.status}, ${line.slice(0, 100)}`,
    why: "The zone turns away what is no browser, or the domain does not lead to this Worker: requests of clients and receipts of carriers are lost.",
    fix: "Turn off Bot Fight Mode and Browser Integrity Check for this host, as docs/deploying.md shows. After the first deploy, wait half a minute.",
  };
}

function readChecks(text: string): Record<string, { status?: string }> | undefined {
  try {
    const { checks } = JSON.parse(text);
    return typeof checks === "object" && checks !== null ? checks : undefined;
  } catch {
    return undefined;
  }
}

async function checkTransport(url: string): Promise<Finding[]> {
  if (isLocal(url)) return [];
  const plain = url.replace(/^https:/, "http:");
  const status = await get(`${plain}/health`).then(
    (answer) => answer.status,
    () => undefined,
  );
  if (status === undefined || (status >= 300 && status < 400)) return [];
  return [
    {
      what: `The service answers at ${plain}.`,
      why: "A client whose settings say http sends its secret, numbers and texts in the open, and does not notice.",
      fix: "Turn on Always Use HTTPS in the zone, under SSL/TLS, Edge Certificates.",
    },
  ];
}

/** `status` is that of the refusal; undefined: it answered. */
interface Operator {
  status: number | undefined;
  findings: Finding[];
}

async function readProblems(service: { url: string; token: string }): Promise<Operator> {
  try {
    const { problems } = JSON.parse(await callOperator(service, "GET", "/health")) as { problems: string[] };
    return { status: undefined, findings: [...problems.map(explainProblem), ...(await checkAccounts(service))] };
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof Unreachable)) throw error;
    const status = error instanceof Refusal ? Math.floor(error.body.code / 100) : 0;
    return { status, findings: [explainRefusal(status, error.message)] };
  }
}

interface Account {
  name: string;
  isReadable: boolean;
  webhooks: object | null;
}

async function checkAccounts(service: { url: string; token: string }): Promise<Finding[]> {
  const { accounts } = JSON.parse(await callOperator(service, "GET", "/accounts")) as { accounts: Account[] };
  return accounts.flatMap(({ name, isReadable, webhooks }) => {
    if (isReadable && webhooks) return [];
    const what = isReadable
      ? `The account ${name} has no webhooks, because PUBLIC_ORIGIN is not set.`
      : `The secrets of the account ${name} are encrypted with another SERVICE_KEY.`;
    const fix = isReadable
      ? SET_ORIGIN
      : `Set it again with all its settings: npm run operator -- put-account ${name} …`;
    return [{ what, why: "Its texts wait, and what the carrier calls with is refused.", fix }];
  });
}

const SET_ORIGIN = "Set PUBLIC_ORIGIN in wrangler.toml to the service's own https origin.";

function explainProblem(name: string): Finding {
  const known = Object.hasOwn(RUNBOOK, name) ? RUNBOOK[name as keyof typeof RUNBOOK] : undefined;
  return {
    what: `The service reports the problem ${name}.`,
    why: known ? withoutLinks(known.meaning) : "This checkout does not know it: the service is of a later version.",
    fix: known ? withoutLinks(known.steps.join(" ")) : "See docs/runbook.md of that version.",
  };
}

/** Links of the page have no place in a terminal: their words stay. */
const withoutLinks = (markdown: string) => markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");

function explainRefusal(status: number, message: string): Finding {
  const why = "Nobody can see which messages wait, are stuck or fail.";
  const what = `GET /operator/health is refused: ${message}`;
  if (status === 401) return { what, why, fix: "Set OPERATOR_TOKEN here to the token of this service." };
  if (status === 404) {
    return { what: "The service has no OPERATOR_TOKEN.", why, fix: "npx wrangler secret put OPERATOR_TOKEN" };
  }
  return { what, why, fix: "See GET /health, and request.failed in the log (npx wrangler tail)." };
}

const CHECK_FIXES: Record<string, string> = {
  configuration:
    "configuration.wrong in the log names the setting (npx wrangler tail). Without a key, set SERVICE_KEY.",
  database: "npm run deploy applies what is missing of the migrations. If D1 itself does not answer, see its status.",
  credentials: "health.failing in the log has the reason (npx wrangler tail). KV's status is on cloudflarestatus.com.",
  limiter: "health.failing in the log has the reason (npx wrangler tail).",
};

const PENDING: Finding = {
  what: "Migrations are pending.",
  why: "D1 answers, but its schema lacks what this version of the Worker reads.",
  fix: "npx wrangler d1 migrations apply DB --remote",
};

/** D1 answers an operator's call, or says what is wrong with a statement of it: then /health misses the latest migration. */
async function explainChecks(failing: string[], operator: Operator | undefined): Promise<Finding[]> {
  if (failing.length === 0) return [];
  const { CHECK_MEANINGS } = (await loadSource("openapi/meanings.ts")) as { CHECK_MEANINGS: Record<string, string> };
  const databaseAnswers = operator !== undefined && (operator.status === undefined || operator.status === 500);
  return failing.map((name) =>
    name === "database" && databaseAnswers
      ? PENDING
      : {
          what: `The check ${name} of GET /health fails.`,
          why: CHECK_MEANINGS[name] ?? "This checkout does not know it: the service is of a later version.",
          fix: CHECK_FIXES[name] ?? "health.failing in the log has the reason (npx wrangler tail).",
        },
  );
}

async function checkVersion(url: string, document: string): Promise<Finding[]> {
  const served = await get(`${url}/openapi.json`).catch(() => undefined);
  if (served?.status === 200 && served.text === document) return [];
  return [
    {
      what: "The service is of another version than this checkout: its /openapi.json differs.",
      why: "What this check and the docs say may not hold for it. Migrations and rollbacks go one version at a time.",
      fix: "Check out the version that is deployed, or deploy this one: npm run deploy",
    },
  ];
}
