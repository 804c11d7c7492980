/** The configuration file of a Kannel that tests run: loopback only, and as forgetful or not as they ask for. */

import { join } from "node:path";
import { SMPP_ACCOUNT } from "./smsc-simulator.ts";

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
export const SMSC_ID = "simulator";

const LOOPBACK = "127.0.0.1";
const EVERYBODY = "*.*.*.*";

type Settings = Record<string, string | number | boolean>;

/** Where the DLR spool is; Kannel wants the directory to exist. */
export function receiptSpool(dir: string): string {
  return join(dir, "receipts");
}

export function renderConfig(config: KannelConfig): string {
  return [core(config), smsc(config), smsbox(config), sendSmsUser(), inboundService(config)].join("\n");
}

function core({ dir, ports, store }: KannelConfig): string {
  return group("core", {
    "admin-port": ports.admin,
    "admin-interface": LOOPBACK,
    "admin-password": ADMIN_PASSWORD,
    "admin-deny-ip": EVERYBODY,
    "admin-allow-ip": LOOPBACK,
    "smsbox-port": ports.boxes,
    "smsbox-interface": LOOPBACK,
    "box-deny-ip": EVERYBODY,
    "box-allow-ip": LOOPBACK,
    // What the SMSC refused for the moment is tried again after this many seconds. There is no sms-resend-retry, so
    // Kannel never gives a message up by itself.
    "sms-resend-freq": 1,
    ...(store ? lastingStores(dir) : { "dlr-storage": "internal" }),
  });
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
  return {
    "store-type": "file",
    "store-location": join(dir, "messages.store"),
    "store-dump-freq": 10,
    "dlr-storage": "spool",
    "dlr-spool": receiptSpool(dir),
  };
}

function smsc({ smscPort }: KannelConfig): string {
  return group("smsc", {
    smsc: "smpp",
    "smsc-id": SMSC_ID,
    "allowed-smsc-id": SMSC_ID, // a message for any other SMSC is refused: 403
    host: LOOPBACK,
    port: smscPort,
    "transceiver-mode": true,
    "smsc-username": SMPP_ACCOUNT.systemId,
    "smsc-password": SMPP_ACCOUNT.password,
    "system-type": "",
    "source-addr-autodetect": true,
    "dest-addr-ton": 1,
    "dest-addr-npi": 1,
    "enquire-link-interval": 10,
    "reconnect-delay": 1,
    "max-pending-submits": 100,
    // A submit_sm without an answer may have been carried out. Kannel would send it again after a minute; 2 means it
    // waits. The message stays in the store, and goes out again only when the connection or the process ends.
    "wait-ack-expire": 2,
  });
}

function smsbox({ ports, recodes }: KannelConfig): string {
  return group("smsbox", {
    // No smsbox-id: bearerbox hands messages from phones only to a smsbox without one.
    "bearerbox-host": LOOPBACK,
    "bearerbox-port": ports.boxes,
    "sendsms-port": ports.sendSms,
    "sendsms-interface": LOOPBACK,
    "sendsms-chars": "+0123456789",
    // Kannel's own default is to call a URL once and never again.
    "http-queue-delay": 1,
    "http-request-retry": 600,
    "http-timeout": 10,
    // Without it, a text in UCS-2 reaches the get-url as UTF-16BE.
    ...(recodes ? { "mo-recode": true } : {}),
    // No apology of Kannel's own is ever sent to a phone.
    "reply-couldnotfetch": "",
    "reply-requestfailed": "",
    "reply-couldnotrepresent": "",
    "reply-emptymessage": "",
  });
}

function sendSmsUser(): string {
  return group("sendsms-user", {
    ...SENDSMS_USER,
    "user-deny-ip": EVERYBODY,
    "user-allow-ip": LOOPBACK,
    "default-smsc": SMSC_ID,
    "max-messages": 10,
    concatenation: true,
  });
}

function inboundService({ inboundUrl }: KannelConfig): string {
  return group("sms-service", {
    keyword: "default",
    "catch-all": true,
    "get-url": inboundUrl,
    // Zero: the HTTP answer is not sent back to the phone as a text.
    "max-messages": 0,
    "omit-empty": true,
  });
}

function group(name: string, settings: Settings): string {
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${renderValue(value)}`);
  return [`group = ${name}`, ...lines, ""].join("\n");
}

function renderValue(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  if (/["\\\r\n]/.test(value)) throw new Error(`a Kannel setting cannot hold a quote, backslash or line end: ${value}`);
  return `"${value}"`;
}
