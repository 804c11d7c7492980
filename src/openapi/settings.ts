// The settings of src/config.ts, explained: written into docs/.
import * as z from "zod";
import { makeCarriers } from "../carriers/index.ts";
import { configSchema } from "../config.ts";
import { code, toTable } from "./tables.ts";

type Name = keyof z.input<typeof configSchema>;

/** Set by `wrangler secret put`. The others are under `[vars]` in wrangler.toml. */
const SECRETS: readonly Name[] = [
  "OPERATOR_TOKEN",
  "SERVICE_KEY",
  "ALERT_URL",
  "ALERT_SECRET",
  "HEARTBEAT_URL",
  "TWILIO_ACCOUNT_SID",
  "TWILIO_AUTH_TOKEN",
  "TWILIO_SECONDARY_AUTH_TOKEN",
  "TWILIO_WEBHOOK_SIGNING_KEY",
  "TELNYX_API_KEY",
  "TELNYX_PUBLIC_KEY",
  "KANNEL_USERNAME",
  "KANNEL_PASSWORD",
  "KANNEL_WEBHOOK_KEY",
  "KANNEL_PREVIOUS_WEBHOOK_KEY",
];

const MEANINGS: Record<Name, string> = {
  OPERATOR_TOKEN:
    "opens `/operator`, and creates [named tokens](procedures.md#operators). Without it, `/operator` does not exist",
  SERVICE_KEY:
    "encrypts callback secrets, and signs operators' tokens and link codes; by default `OPERATOR_TOKEN`. See [Change SERVICE_KEY](#change-service_key)",
  PUBLIC_ORIGIN:
    "origin under which carriers reach the service, such as `https://sms.example.com`; every carrier but the sandbox needs it",
  LINK_ORIGIN: "of tracking links; by default `PUBLIC_ORIGIN`, or else the origin of the send request",
  SUBMIT_WITHIN_HOURS: "how long a message is retried that the carrier cannot accept; then FAILED_TO_SEND",
  RECEIPT_WITHIN_HOURS: "how long a message waits for its final receipt; then FAILED_TO_DELIVERY",
  RETENTION_DAYS:
    "how long messages, events, links, inbound texts and dead jobs are kept: not subscriptions, their ledger and the [audit log](procedures.md#the-audit-log)",
  REQUEUE_AFTER_SECONDS: "how long a message or callback waits for its job before the sweep requeues it",
  LIMITER_LOCATION:
    "where the Durable Object of a new website, or of a paced sender, is created and stays: the [location of the database](deploying.md#3-the-database-and-its-location), such as `enam`. By default near the first request",
  SECURITY_CONTACT:
    "where to report a vulnerability (`GET /.well-known/security.txt`), such as `mailto:security@example.com` or an https page",
  ALERT_URL: "where [alerts](monitoring.md#alerts) about [problems](runbook.md#problems) are posted",
  ALERT_SECRET: "signs the posts to `ALERT_URL`: at least 16 bytes in Base64, such as `whsec_…`",
  HEARTBEAT_URL:
    "a monitor's URL, which each sweep fetches, once a minute. The monitor must alert you if no request comes",
  ACCESS_TEAM_DOMAIN:
    "the domain of your team at Cloudflare Access, such as `brand.cloudflareaccess.com`. With `ACCESS_AUD`, whoever signs in there [is signed in to the console](deploying.md#sign-in-by-cloudflare-access)",
  ACCESS_AUD: "the AUD tag of the application that you have made at Access for `/console`",
  TWILIO_ACCOUNT_SID: "the account's id (`AC…`)",
  TWILIO_AUTH_TOKEN: "authenticates submissions and verifies `X-Twilio-Signature`",
  TWILIO_SECONDARY_AUTH_TOKEN: "the second token during a [rotation](carriers.md#rotate-a-secret)",
  TWILIO_WEBHOOK_SIGNING_KEY: "the shared key, if a Webhooks Rule at Twilio signs",
  TWILIO_API_URL: "by default https://api.twilio.com",
  TELNYX_API_KEY: "authenticates submissions",
  TELNYX_PUBLIC_KEY: "verifies signatures: an Ed25519 key, 32 bytes in Base64",
  TELNYX_API_URL: "by default https://api.telnyx.com/v2",
  KANNEL_SENDSMS_URL: "smsbox's sendsms URL, with a host name, because Cloudflare fetches nothing by IP address",
  KANNEL_CONNECT_PROBE:
    "`on` or `off`: whether a [TCP connection](carriers.md#kannel) is tried before each submission. By default `on` for http and `off` for https",
  KANNEL_USERNAME: "name of the sendsms user",
  KANNEL_PASSWORD: "password of the sendsms user",
  KANNEL_WEBHOOK_KEY: "authenticates receipts and inbound texts: only A–Z a–z 0–9 `-` `_`",
  KANNEL_PREVIOUS_WEBHOOK_KEY: "the key before it, during a [rotation](carriers.md#rotate-a-secret)",
};

/** The settings that each carrier requires: without any, every carrier but the sandbox lacks all of them. */
const needs = () => makeCarriers({ carriers: {} as Parameters<typeof makeCarriers>[0]["carriers"] }).missing;

function namesOf(isCarriers: boolean): Name[] {
  const prefixes = Object.keys(needs()).map((carrier) => `${carrier.toUpperCase()}_`);
  const names = Object.keys(MEANINGS) as Name[];
  return names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)) === isCarriers);
}

const kindOf = (name: Name) => (SECRETS.includes(name) ? "secret" : "var");

interface Rule {
  default?: number;
  minimum?: number;
  maximum?: number;
}

/** The settings that belong to no single carrier. */
export function settingTable(): string {
  const rules = z.toJSONSchema(configSchema, { io: "input" }).properties as Record<Name, Rule>;
  const rows = namesOf(false).map((name) => {
    const { default: fallback = "", minimum, maximum } = rules[name];
    const range = minimum === undefined ? "" : `${fallback} (${minimum} to ${maximum})`;
    return [code(name), kindOf(name), range, MEANINGS[name]];
  });
  return toTable(["Setting", "Kind", "Default (range)", "Meaning"], rows);
}

export function carrierSettingTable(): string {
  const required = Object.values(needs()).flat();
  const rows = namesOf(true).map((name) => {
    return [code(name), kindOf(name), required.includes(name) ? "required" : "optional", MEANINGS[name]];
  });
  return toTable(["Setting", "Kind", "", "Meaning"], rows);
}
