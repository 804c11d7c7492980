// What wrangler.toml itself shows: stores, queues, domains, limits, place.
import type { Unstable_Config as Config } from "wrangler";
import type { Deployments } from "./deployments.ts";
import type { Finding } from "./finding.ts";

/** Stands in wrangler.toml where an operator puts the id of the database. */
const PLACEHOLDER_ID = /^0{8}-/;

export function checkConfiguration({ own, others }: Deployments): Finding[] {
  return [
    ...checkDatabase(own),
    ...checkQueues(own),
    ...checkDomain(own),
    ...checkLimits(own),
    ...checkPlace(own),
    ...[...others].flatMap(([name, config]) => checkShared(own, name, config)),
  ];
}

function checkDatabase({ d1_databases }: Config): Finding[] {
  const database = d1_databases.find(({ binding }) => binding === "DB");
  const name = database?.database_name ?? "textgate";
  const fix = `Create the database with its location (npx wrangler d1 create ${name} --location <location>), and set the database_id that it prints.`;
  const why =
    "A deploy without the id looks for a database of this name. If the account has none, it makes an empty one near you, and a database never moves.";
  if (database?.database_id === undefined) return [{ what: "The database has no database_id.", why, fix }];
  if (!PLACEHOLDER_ID.test(database.database_id)) return [];
  return [{ what: "The database_id is still the placeholder.", why: "There is no such database.", fix }];
}

function checkQueues({ queues }: Config): Finding[] {
  const consumers = queues.consumers ?? [];
  const isConsumed = (name: string) => consumers.some(({ queue }) => queue === name);
  const unread = (queues.producers ?? []).flatMap(({ queue = "" }) => (isConsumed(queue) ? [] : [queue]));
  const messages = queues.producers?.find(({ binding }) => binding === "MESSAGES")?.queue;
  const deadLetters = consumers.find(({ queue }) => queue === messages)?.dead_letter_queue;
  const lost =
    "A job that has failed for one to two and a half hours, because the database was away, is dropped, and no operator sees it.";
  const take = "Take the consumers from the wrangler.toml of this version.";
  const findings = unread.map((queue) => ({
    what: `The queue ${queue} has no consumer.`,
    why: "No worker run ever takes a job from it.",
    fix: take,
  }));
  if (messages !== undefined && isConsumed(messages) && deadLetters === undefined) {
    findings.push({ what: `The queue ${messages} has no dead_letter_queue.`, why: lost, fix: take });
  } else if (deadLetters !== undefined && !isConsumed(deadLetters)) {
    findings.push({ what: `The dead-letter queue ${deadLetters} has no consumer.`, why: lost, fix: take });
  }
  return findings;
}

/** Hosts under which the service is reached, except workers.dev. */
export function hostsOf({ routes, route }: Config): string[] {
  const all = [...(routes ?? []), ...(route === undefined ? [] : [route])];
  return all.map((it) => (typeof it === "string" ? it : it.pattern).replace(/^https?:\/\//, "").replace(/\/.*$/, ""));
}

function checkDomain(config: Config): Finding[] {
  // An environment that says itself that it is on workers.dev, as staging does, is meant to be there.
  const isMeant = Boolean(config.targetEnvironment) && config.workers_dev === true;
  if (isMeant || hostsOf(config).length > 0) return [];
  return [
    {
      what: "The service is on workers.dev only.",
      why: "Cloudflare does not recommend workers.dev for critical services, you cannot change the settings of its zone, and carriers filter texts with links on a shared domain.",
      fix: "Uncomment [[routes]] in wrangler.toml, with a name in a zone of this account.",
    },
  ];
}

function checkLimits({ limits }: Config): Finding[] {
  const missing = (["cpu_ms", "subrequests"] as const).filter((name) => limits?.[name] === undefined);
  if (missing.length === 0) return [];
  return [
    {
      what: `[limits] lacks ${missing.join(" and ")}.`,
      why: "By default Cloudflare ends a request or a run after 30 seconds of CPU time or 10,000 subrequests: a large bulk request would end half stored.",
      fix: "Take [limits] from the wrangler.toml of this version.",
    },
  ];
}

function checkPlace({ placement, vars }: Config): Finding[] {
  const findings: Finding[] = [];
  if (placement === undefined || ("mode" in placement && placement.mode === "off")) {
    findings.push({
      what: "There is no [placement].",
      why: "The Worker runs near its caller and asks the database several times for each request: for a distant caller, each time takes a third of a second.",
      fix: "Uncomment [placement] in wrangler.toml, with the region of the database's location: docs/deploying.md has the table.",
    });
  }
  if (!vars.LIMITER_LOCATION) {
    findings.push({
      what: "LIMITER_LOCATION is not set.",
      why: "The object of a website, which counts its requests and stores its sends, is made near the first request, which may be yours, and never moves.",
      fix: "Set it to the location of the database, before the first website is made.",
    });
  }
  return [...findings, ...comparePlaces(placement, vars.LIMITER_LOCATION)];
}

/** The locations that are near a region. The table of docs/deploying.md has the nearest region of each. */
const NEAR: [region: RegExp, locations: string[]][] = [
  [/^aws:us-west-/, ["wnam"]],
  [/^aws:(us-east|ca-central)-/, ["enam"]],
  [/^aws:eu-/, ["weur", "eeur"]],
  [/^aws:ap-southeast-[246]/, ["oc"]],
  [/^aws:ap-/, ["apac"]],
];

function comparePlaces(placement: Config["placement"], location: unknown): Finding[] {
  const region = placement !== undefined && "region" in placement ? placement.region : undefined;
  if (region === undefined || !location) return [];
  const locations = NEAR.find(([pattern]) => pattern.test(region))?.[1];
  if (!locations || locations.includes(String(location))) return [];
  return [
    {
      what: `[placement] is ${region}, and LIMITER_LOCATION is ${location}.`,
      why: "Each request asks the database and the object of its website. The two are far from each other, and neither ever moves.",
      fix: "Set both to the location of the database: docs/deploying.md has the table.",
    },
  ];
}

/** All names under which the deployment finds what it stores, or is found. */
function namesOf(config: Config): string[] {
  const { name, d1_databases, kv_namespaces, queues, vars } = config;
  const databases = d1_databases.flatMap((it) => [it.database_name, it.database_id]);
  const queueNames = [...(queues.producers ?? []), ...(queues.consumers ?? [])].map(({ queue }) => queue);
  const namespaces = kv_namespaces.map(({ id }) => id);
  const all = [name, ...databases, ...namespaces, ...queueNames, ...hostsOf(config), vars.PUBLIC_ORIGIN];
  return all.filter((it): it is string => typeof it === "string" && it !== "");
}

function checkShared(own: Config, name: string, other: Config): Finding[] {
  const theirs = new Set(namesOf(other));
  const shared = [...new Set(namesOf(own))].filter((it) => theirs.has(it));
  if (shared.length === 0) return [];
  return [
    {
      what: `It shares names with ${name}: ${shared.join(", ")}.`,
      why: "Two deployments with one database or queue deliver each other's messages, and the one that is deployed last takes a domain away from the other.",
      fix: "Give each environment in wrangler.toml names of its own.",
    },
  ];
}
