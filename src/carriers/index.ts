import { type Config, TELNYX_API_URL, TWILIO_API_URL } from "../config.ts";
import type { CarrierRules } from "../domain/clients/website.ts";
import type { FieldError } from "../domain/failure.ts";
import type { Account } from "./account.ts";
import type { Carrier } from "./carrier.ts";
import { kannel, probesConnection } from "./kannel.ts";
import { SANDBOX, sandbox } from "./sandbox.ts";
import { telnyx } from "./telnyx.ts";
import { twilio } from "./twilio.ts";

/** Default only while no real carrier is set up, so that nobody omits a real carrier by mistake. */
export const DEFAULT_CARRIER = SANDBOX;

export interface Carriers {
  /** Configured carriers, by name. */
  ready: Record<string, Carrier>;
  /** Missing settings, by name of an unconfigured carrier. */
  missing: Record<string, string[]>;
}

/** @param config the carriers' settings, under the names of their vars and secrets */
export function makeCarriers({ carriers: vars }: Pick<Config, "carriers">): Carriers {
  const made: Carriers = { ready: { [SANDBOX]: sandbox }, missing: {} };
  const add = (
    name: string,
    needs: (keyof Config["carriers"])[],
    make: (value: (key: string) => string) => Carrier,
  ) => {
    const missing = needs.filter((key) => vars[key] === undefined);
    if (missing.length > 0) made.missing[name] = missing;
    else made.ready[name] = make((key) => vars[key as keyof Config["carriers"]] ?? "");
  };
  add("twilio", ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "PUBLIC_ORIGIN"], (value) =>
    twilio({
      accountSid: value("TWILIO_ACCOUNT_SID"),
      authToken: value("TWILIO_AUTH_TOKEN"),
      previousAuthToken: vars.TWILIO_SECONDARY_AUTH_TOKEN,
      webhookSigningKey: vars.TWILIO_WEBHOOK_SIGNING_KEY,
      apiUrl: value("TWILIO_API_URL"),
      webhookUrl: `${value("PUBLIC_ORIGIN")}/carriers/twilio`,
    }),
  );
  add("telnyx", ["TELNYX_API_KEY", "TELNYX_PUBLIC_KEY", "PUBLIC_ORIGIN"], (value) =>
    telnyx({
      apiKey: value("TELNYX_API_KEY"),
      publicKey: value("TELNYX_PUBLIC_KEY"),
      apiUrl: value("TELNYX_API_URL"),
      webhookUrl: `${value("PUBLIC_ORIGIN")}/carriers/telnyx`,
    }),
  );
  add(
    "kannel",
    ["KANNEL_SENDSMS_URL", "KANNEL_USERNAME", "KANNEL_PASSWORD", "KANNEL_WEBHOOK_KEY", "PUBLIC_ORIGIN"],
    (value) =>
      kannel({
        sendsmsUrl: value("KANNEL_SENDSMS_URL"),
        probesConnection: probesConnection(value("KANNEL_SENDSMS_URL"), vars.KANNEL_CONNECT_PROBE),
        username: value("KANNEL_USERNAME"),
        password: value("KANNEL_PASSWORD"),
        webhookKey: value("KANNEL_WEBHOOK_KEY"),
        previousWebhookKey: vars.KANNEL_PREVIOUS_WEBHOOK_KEY,
        webhookUrl: `${value("PUBLIC_ORIGIN")}/carriers/kannel`,
      }),
  );
  return made;
}

/** The carrier as a named account has it. @param webhookUrl of that account */
export function makeAccount(account: Account, webhookUrl: string): Carrier {
  const value = (name: keyof Account) => account[name] ?? "";
  switch (account.carrier) {
    case "twilio":
      return twilio({
        ...{ accountSid: value("accountSid"), authToken: value("authToken"), webhookUrl },
        ...{ previousAuthToken: account.previousAuthToken, webhookSigningKey: account.webhookSigningKey },
        apiUrl: account.apiUrl ?? TWILIO_API_URL,
      });
    case "telnyx":
      return telnyx({
        ...{ apiKey: value("apiKey"), publicKey: value("publicKey"), webhookUrl },
        apiUrl: account.apiUrl ?? TELNYX_API_URL,
      });
    case "kannel":
      return kannel({
        ...{ sendsmsUrl: value("sendsmsUrl"), username: value("username"), password: value("password"), webhookUrl },
        probesConnection: probesConnection(value("sendsmsUrl"), undefined),
        ...{ webhookKey: value("webhookKey"), previousWebhookKey: account.previousWebhookKey },
      });
  }
}

export function carrierRules(carriers: Carriers): CarrierRules {
  const real = Object.keys(carriers.ready).filter((name) => name !== DEFAULT_CARRIER);
  return {
    faults: (carrier, sender) => validateCarrier(carriers, carrier, sender),
    names: [...real, DEFAULT_CARRIER],
    defaultCarrier: real.length === 0 ? DEFAULT_CARRIER : undefined,
  };
}

function validateCarrier({ ready, missing }: Carriers, carrier: string, sender: string | null): FieldError[] {
  const chosen = Object.hasOwn(ready, carrier) ? ready[carrier] : undefined;
  const fault = chosen?.validateSender(sender);
  if (chosen) return fault ? [{ field: "sender", message: fault }] : [];
  const lacks = Object.hasOwn(missing, carrier) ? missing[carrier] : undefined;
  const message = lacks
    ? `${carrier} is not set up: it lacks ${lacks.join(", ")}`
    : `must be one of: ${Object.keys(ready).join(", ")}`;
  return [{ field: "carrier", message }];
}
