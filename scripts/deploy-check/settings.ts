// What the vars in wrangler.toml and the secrets make of the service, by the rules of src/config.ts.
import { parseEnv } from "node:util";
import { readConfig, type Config as Settings } from "../../src/config.ts";
import { loadSource } from "../load-source.ts";
import type { Finding } from "./finding.ts";

/** By name. The values of what is deployed are not to be had: a name then stands for any value. */
export type Secrets = Record<string, string>;

/** Passes every rule of src/config.ts for a secret: 32 bytes in Base64. */
const ANY_VALUE = Buffer.alloc(32).toString("base64");

/** @param text of `wrangler secret list`, or lines of NAME=value @throws SyntaxError */
export function readSecrets(text: string): Secrets {
  if (!text.trimStart().startsWith("[")) return parseEnv(text) as Secrets;
  const list = JSON.parse(text) as { name: string }[];
  return Object.fromEntries(list.map(({ name }) => [name, ANY_VALUE]));
}

/**
 * @param secrets undefined: not known
 * @param hosts of the routes
 */
export async function checkSettings(
  vars: Record<string, unknown>,
  secrets: Secrets | undefined,
  hosts: string[],
): Promise<Finding[]> {
  const given = { ...vars, ...secrets };
  let settings: Settings;
  try {
    settings = readConfig(given);
  } catch (error) {
    return [
      {
        what: `${(error as Error).message}.`,
        why: "Every request would be a 500.",
        fix: "Correct the var in wrangler.toml, or the secret by npx wrangler secret put: docs/settings.md has the rules.",
      },
    ];
  }
  const origins = [
    ...checkPublicOrigin(settings.carriers.PUBLIC_ORIGIN, hosts),
    ...checkLinkOrigin(settings),
    ...checkAccess(given),
  ];
  if (secrets === undefined) return origins;
  return [...origins, ...checkKeys(given), ...(await checkCarriers(settings, Object.keys(given)))];
}

const SET_ORIGIN = "Set it in wrangler.toml to the service's own https origin.";

function checkPublicOrigin(origin: string | undefined, hosts: string[]): Finding[] {
  if (origin === undefined) {
    const why = "Every carrier but the sandbox needs it: it is where receipts and replies are sent.";
    return [{ what: "PUBLIC_ORIGIN is not set.", why, fix: SET_ORIGIN }];
  }
  const { protocol, hostname } = new URL(origin);
  if (/(^|\.)example\.(com|net|org)$/.test(hostname)) {
    const why = "Receipts and replies would be sent there, and tracking links would lead there.";
    return [{ what: `PUBLIC_ORIGIN is still the placeholder ${origin}.`, why, fix: SET_ORIGIN }];
  }
  const findings = protocol === "https:" ? [] : [overHttp("PUBLIC_ORIGIN", origin)];
  if (hosts.length > 0 && !hosts.includes(hostname)) {
    findings.push({
      what: `PUBLIC_ORIGIN is ${origin}, and [[routes]] has ${hosts.join(", ")}.`,
      why: "Receipts, replies and clicks would not reach this Worker.",
      fix: "Use the same host in both.",
    });
  }
  return findings;
}

function checkLinkOrigin({ linkOrigin, carriers }: Settings): Finding[] {
  if (linkOrigin === undefined || linkOrigin === carriers.PUBLIC_ORIGIN || linkOrigin.startsWith("https:")) return [];
  return [overHttp("LINK_ORIGIN", linkOrigin)];
}

function checkAccess({ ACCESS_TEAM_DOMAIN, ACCESS_AUD }: Record<string, unknown>): Finding[] {
  if (Boolean(ACCESS_TEAM_DOMAIN) === Boolean(ACCESS_AUD)) return [];
  const [given, missing] = ACCESS_TEAM_DOMAIN
    ? ["ACCESS_TEAM_DOMAIN", "ACCESS_AUD"]
    : ["ACCESS_AUD", "ACCESS_TEAM_DOMAIN"];
  return [
    {
      what: `${given} is set, and ${missing} is not.`,
      why: "Sign-in by Cloudflare Access needs both: without one of them, the console takes tokens alone.",
      fix: `Set ${missing} too, or remove ${given}: docs/settings.md says what they are.`,
    },
  ];
}

function overHttp(name: string, origin: string): Finding {
  return {
    what: `${name} is ${origin}.`,
    why: "Over http, anyone on the way can read and alter numbers, texts and links.",
    fix: SET_ORIGIN,
  };
}

function checkKeys(given: Record<string, unknown>): Finding[] {
  const findings: Finding[] = [];
  if (!given.OPERATOR_TOKEN) {
    findings.push({
      what: "The secret OPERATOR_TOKEN is not set.",
      why: "There is no /operator without it: no website and no client can be made.",
      fix: "Set it as docs/deploying.md shows, and keep it.",
    });
  }
  if (!given.SERVICE_KEY) {
    findings.push({
      what: "The secret SERVICE_KEY is not set.",
      why: "OPERATOR_TOKEN encrypts the callback secrets in its place: when it is replaced, no callback can be posted.",
      fix: "Set it as docs/deploying.md shows, and keep it. If clients exist already, set it to the present OPERATOR_TOKEN.",
    });
  }
  return findings;
}

interface Carriers {
  ready: Record<string, unknown>;
  missing: Record<string, string[]>;
}

async function checkCarriers(settings: Settings, names: string[]): Promise<Finding[]> {
  const { makeCarriers } = (await loadSource("carriers/index.ts")) as {
    makeCarriers(settings: Settings): Carriers;
  };
  const { ready, missing } = makeCarriers(settings);
  const isBegun = (carrier: string) => names.some((name) => name.startsWith(`${carrier.toUpperCase()}_`));
  const begun = Object.entries(missing).filter(([carrier]) => isBegun(carrier));
  if (begun.length === 0 && Object.keys(ready).length === 1) {
    return [
      {
        what: "No carrier is set up.",
        why: "There is only the sandbox: its messages become DELIVERED, but nobody receives them.",
        fix: "Set the settings of a carrier, or set up an account at one: docs/carriers.md shows both.",
      },
    ];
  }
  // PUBLIC_ORIGIN is a finding of its own.
  const own = begun.map(([carrier, lacking]) => ({ carrier, lacking: lacking.filter((it) => it !== "PUBLIC_ORIGIN") }));
  const incomplete = own.filter(({ lacking }) => lacking.length > 0);
  return incomplete.map(({ carrier, lacking }) => ({
    what: `The carrier ${carrier} lacks ${lacking.join(", ")}.`,
    why: "It is not set up without them: no website can use it, and the messages of one that does are FAILED_TO_SEND.",
    fix: "Set a secret by npx wrangler secret put, a var in wrangler.toml: docs/carriers.md says which is which.",
  }));
}
