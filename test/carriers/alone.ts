/** A carrier by itself: its functions are called as the Worker calls them, and the test answers in the place of its API. */
import { vi } from "vitest";
import type { Carrier, CarrierRequest, OutboundMessage, Submission } from "../../src/carriers/carrier.ts";
import { makeCarriers } from "../../src/carriers/index.ts";
import { readConfig } from "../../src/config.ts";
import { countSegments } from "../../src/domain/messages/segments.ts";
import { ADA, OURS, SETTINGS } from "./carrier-world.ts";
import { type Hook, readBody, readSubmission, type Submitted, type TestCarrier } from "./test-carrier.ts";

export const NOW = Date.UTC(2026, 10, 21, 12);

/** @param settings beside or in place of those with which each carrier is set up */
export function carrierOf({ name }: Pick<TestCarrier, "name">, settings: Record<string, string> = {}): Carrier {
  // What becomes of a connection to the gateway is tested in kannel-probe.test.ts.
  const config = readConfig({ ...SETTINGS, KANNEL_CONNECT_PROBE: "off", ...settings });
  const carrier = makeCarriers(config).ready[name];
  if (!carrier) throw new Error(`${name} is not set up`);
  return carrier;
}

export interface Exchange {
  submission: Submission;
  /** What reached the API; none where no request was made. */
  requests: (Submitted & { request: Request; body: string })[];
}

/** Submits one message. */
export async function submitTo(
  carrier: TestCarrier,
  answer: TestCarrier["accepts"] = carrier.accepts,
  fields: Partial<OutboundMessage> = {},
  settings: Record<string, string> = {},
): Promise<Exchange> {
  const requests: Exchange["requests"] = [];
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    const body = await readBody(request);
    requests.push({ ...readSubmission(carrier, request, body, init), request, body });
    return answer();
  });
  const text = fields.text ?? "Brand: hello";
  const { encoding } = countSegments(text);
  const message = { messageId: crypto.randomUUID(), to: ADA, from: OURS, mediaUrl: null, attempt: 1, ...fields };
  const submission = await carrierOf(carrier, settings).submit({ ...message, text, encoding });
  fetched.mockRestore();
  return { submission, requests };
}

/** A message that the carrier has accepted. */
export async function accepted(carrier: TestCarrier, fields: Partial<OutboundMessage> = {}): Promise<Submitted> {
  const [submitted] = (await submitTo(carrier, carrier.accepts, fields)).requests;
  if (!submitted) throw new Error(`${carrier.name} submitted nothing`);
  return submitted;
}

/** What the carrier's functions are given of a webhook. */
export function requestOf({ method, url, headers, body = "" }: Hook, now = NOW): CarrierRequest {
  return { method, url: new URL(url), rawUrl: url, headers: new Headers(headers), body, now };
}
