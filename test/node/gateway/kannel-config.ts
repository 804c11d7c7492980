/** The configuration file of a Kannel that tests run: examples/kannel.conf, with ports of its own, and as forgetful or not as they ask for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SMPP_ACCOUNT } from "./smsc-simulator.ts";

const EXAMPLE = join(import.meta.dirname, "../../../examples/kannel.conf");

export interface KannelPorts {
  admin: number;
  boxes: number;
  sendSms: number;
}

export interface KannelConfig {
  dir: string;
  ports: KannelPorts;
  smscPort: number;
  /** Called with a GET for every message from a phone; Kannel's own %p, %P, %b and so on are filled in. */
  inboundUrl: string;
  /** Keep on disk what has been accepted and which receipts are still expected. */
  store: boolean;
  /** Hand over texts in UTF-8, whatever their coding. */
  recodes: boolean;
}

export const ADMIN_PASSWORD = "admin";
export const SENDSMS_USER = { username: "textgate", password: "gateway" } as const;

/** The id under which the status page lists the SMSC. */
export const SMSC_ID = "carrier";

/** Where the DLR spool is; Kannel wants the directory to exist. */
export function receiptSpool(dir: string): string {
  return join(dir, "receipts");
}

type Settings = Record<string, string | number | undefined>;

/** The URL for inbound texts, as the example has it. */
export function inboundUrlOf(origin: string, key: string): string {
  const [, url = ""] = /^get-url = "(.*)"$/m.exec(readFileSync(EXAMPLE, "utf8")) ?? [];
  return url.replace("<PUBLIC_ORIGIN>", origin).replace("<KANNEL_WEBHOOK_KEY>", key);
}

export function renderConfig(config: KannelConfig): string {
  const filled = fill(readFileSync(EXAMPLE, "utf8"), {
    "password of the admin": ADMIN_PASSWORD,
    "host of the carrier": "127.0.0.1",
    "system id": SMPP_ACCOUNT.systemId,
    "password of the carrier": SMPP_ACCOUNT.password,
    KANNEL_PASSWORD: SENDSMS_USER.password,
  });
  return change(filled, changesOf(config));
}

/** What tests have otherwise than the example: where things are, and shorter waits. By group; undefined: the setting is left out. */
function changesOf({ dir, ports, smscPort, inboundUrl, store, recodes }: KannelConfig): Record<string, Settings> {
  return {
    core: {
      "admin-port": ports.admin,
      "smsbox-port": ports.boxes,
      "sms-resend-freq": 1,
      ...(store ? lastingStores(dir) : FORGETFUL),
    },
    smsc: { port: smscPort, "reconnect-delay": 1 },
    smsbox: {
      "bearerbox-port": ports.boxes,
      "sendsms-port": ports.sendSms,
      "http-queue-delay": 1,
      // Without it, a text in UCS-2 reaches the get-url as UTF-16BE.
      ...(recodes ? {} : { "mo-recode": undefined }),
    },
    "sms-service": { "get-url": inboundUrl },
  };
}

/**
 * What kill -9 leaves behind, as far as Kannel can promise it:
 *
 * - A message is in the store file before sendsms is answered with 202, and is crossed out once the SMSC has accepted
 *   it, so what was accepted is sent after a restart. Nothing is fsynced: a crash of the machine is another matter.
 * - A kill between submit_sm and the SMSC's answer sends the message again after the restart. So does a connection
 *   that breaks there. SMPP has no key that would prevent it. A long message goes out again as a whole.
 * - `dlr-storage = internal` keeps in memory which receipt belongs to which dlr-url, so a kill loses every receipt
 *   still to come: Kannel acknowledges it to the SMSC, logs "could not find message" and calls nobody. `spool` keeps
 *   one file per expected receipt instead.
 * - smsbox acknowledges a receipt or an inbound message to bearerbox when its HTTP request starts, not when it
 *   succeeds. Requests that are to be tried again are in smsbox's memory alone: ending smsbox, even by SIGTERM, loses it under
 *   any setting.
 *
 * So whoever is called must expect the same receipt twice, and none at all.
 */
function lastingStores(dir: string): Settings {
  return { "store-location": join(dir, "messages.store"), "dlr-spool": receiptSpool(dir) };
}

const FORGETFUL: Settings = {
  "store-type": undefined,
  "store-location": undefined,
  "store-dump-freq": undefined,
  "dlr-storage": "internal",
  "dlr-spool": undefined,
};

/** @throws Error where the example has no such place */
function fill(text: string, values: Record<string, string>): string {
  return Object.entries(values).reduce((filled, [name, value]) => {
    if (!filled.includes(`"<${name}>"`)) throw new Error(`examples/kannel.conf has no <${name}>`);
    return filled.replace(`"<${name}>"`, `"${value}"`);
  }, text);
}

/** @throws Error where the example has no such setting */
function change(text: string, changes: Record<string, Settings>): string {
  const groups = text.split(/^(?=group = )/m).map((group) => {
    const name = /^group = (\S+)/.exec(group)?.[1] ?? "";
    return Object.entries(changes[name] ?? {}).reduce((changed, [key, value]) => {
      const line = new RegExp(`^${key} = .*\n`, "m");
      if (!line.test(changed)) throw new Error(`examples/kannel.conf has no ${key} in the group ${name}`);
      return changed.replace(line, () => (value === undefined ? "" : `${key} = ${renderValue(value)}\n`));
    }, group);
  });
  return groups.join("");
}

function renderValue(value: string | number): string {
  if (typeof value !== "string") return String(value);
  if (/["\\\r\n]/.test(value)) throw new Error(`a Kannel setting cannot hold a quote, backslash or line end: ${value}`);
  return `"${value}"`;
}
