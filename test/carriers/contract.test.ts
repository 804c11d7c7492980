/**
 * What every carrier must make of a message, by its functions alone: each answer of its API is a row here. submissions.test.ts has what
 * the Worker does with it, whichever carrier it comes from. contract-receipts.test.ts and contract-inbound.test.ts are about webhooks.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { carrierRules, makeCarriers } from "../../src/carriers/index.ts";
import { readConfig } from "../../src/config.ts";
import { unreachedBecause } from "../../src/domain/callbacks/edge-status.ts";
import { carrierOf, submitTo } from "./alone.ts";
import { ADA, CARRIERS, OPTING_OUT, OURS, SETTINGS } from "./carrier-world.ts";
import { type Answering, breaksOff, json, text } from "./test-carrier.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const TEXTS = ["hello & 100% = +1 £", "Grüße 👍 ÿ", "two\nlines {}[]~€", "x".repeat(1600), "👍".repeat(400)];
/** What leaves open, from any carrier, whether it has the message. */
const UNKNOWNS: [what: string, answer: Answering][] = [
  ["a timeout", () => Promise.reject(new DOMException("The operation timed out", "TimeoutError"))],
  ["a reset", () => Promise.reject(new Error("Network connection lost."))],
  ["an answer that breaks off", () => new Response(breaksOff(), { status: 202 })],
  ["408", () => text("", 408)],
  ["500", () => text("", 500)],
  ["502", () => text("<html>", 502)],
  ["520, an empty answer", () => text("error code: 520", 520)],
  ["522, a timeout before or after the request", () => text("error code: 522", 522)],
  ["524, a timeout after the request", () => text("error code: 524", 524)],
  ["a redirect", () => text("", 307, { location: "https://elsewhere.example.com/" })],
  ["another redirect", () => text("", 303, { location: "/messages" })],
  ["204", () => new Response(null, { status: 204 })],
];

/** https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/ */
const UNSENT: [status: number, why: string][] = [
  [521, "connection refused"],
  [523, "no route"],
  [525, "no TLS handshake"],
  [526, "an invalid certificate"],
  [530, "no DNS name or tunnel"],
];

const MEDIA = "https://cdn.example.com/a%20picture.jpg?x=1&y=2";

describe.each(CARRIERS)("$name, with a message", (carrier) => {
  it("accepted: has been given it as it publishes, and gives its id", async () => {
    const messageId = crypto.randomUUID();
    const { submission, requests } = await submitTo(carrier, carrier.accepts, { messageId });
    expect(submission).toEqual({ kind: "accepted", carrierMessageId: carrier.carrierMessageId });
    expect(requests).toMatchObject([
      {
        ...{ messageId, to: ADA, from: OURS, text: "Brand: hello", mediaUrls: [], faults: [] },
        receiptUrl: expect.stringMatching(
          `^https://sms.example.com/carriers/${carrier.name}/receipts\\?m=${messageId}`,
        ),
      },
    ]);
  });

  it.each(TEXTS)("gets its text as it is: %j", async (words) => {
    const { requests } = await submitTo(carrier, carrier.accepts, { text: words });
    expect(requests).toMatchObject([{ text: words, faults: [] }]);
  });

  it.each(carrier.senders)("gets the sender of its website, of whichever kind: %s", async (from) => {
    expect(carrierOf(carrier).validateSender(from)).toBeUndefined();
    expect((await submitTo(carrier, carrier.accepts, { from })).requests).toMatchObject([{ from, faults: [] }]);
  });

  it.each(carrier.badSenders)("takes no such sender: %s", (from) => {
    expect(carrierOf(carrier).validateSender(from)).toMatch(/^must be /);
  });

  it.each(carrier.refusals)("refused (%s): with a reason to read", async (_, answer, reason) => {
    const { submission } = await submitTo(carrier, answer);
    expect(submission).toMatchObject({ kind: "refused", reason: expect.stringMatching(reason) });
  });

  it.each(carrier.laters)("later (%s): is to be tried again, when it says", async (_, answer, seconds) => {
    const { submission } = await submitTo(carrier, answer);
    const reason = expect.stringMatching(`^${carrier.name}: HTTP `);
    expect(submission).toEqual({ kind: "later", failing: "account", reason, retryAfterSeconds: seconds });
  });

  it.each(carrier.unauthorized)("when it does not take our credentials (%s): waits for them", async (_, answer) => {
    const reason = expect.stringMatching(new RegExp(`^${carrier.name}: HTTP 40[134]`));
    const expected = { kind: "later", failing: "account", unauthorized: true, reason };
    expect((await submitTo(carrier, answer)).submission).toEqual(expected);
  });

  it("when our credentials cannot even be sent: waits for them too, and shows them nowhere", async () => {
    const [secret = ""] = Object.keys(carrier.settings).filter((name) => /AUTH_TOKEN|API_KEY|PASSWORD/.test(name));
    const settings = { [secret]: "with a line\nbreak, and é" };
    const { submission } = await submitTo(carrier, () => text("", 401), {}, settings);
    expect(submission).toMatchObject({ kind: "later", unauthorized: true });
    expect(JSON.stringify(submission)).not.toContain("with a line");
  });

  it.each([...UNKNOWNS, ...carrier.unknowns])("unknown (%s): may have it", async (_, answer) => {
    const expected = { kind: "unknown", failing: "carrier", reason: expect.stringMatching(/./) };
    const { submission, requests } = await submitTo(carrier, answer);
    expect(submission).toEqual(expected);
    expect(requests).toMatchObject([{ faults: [] }]);
  });

  it.each([
    [429, { kind: "later" }],
    [401, { kind: "later", unauthorized: true }],
    [530, { kind: "later" }],
    [400, { kind: "refused" }],
  ])("%d, in an answer that breaks off: says by its status that it has not taken it", async (status, expected) => {
    const { submission } = await submitTo(carrier, () => new Response(breaksOff(), { status }));
    expect(submission).toMatchObject(expected);
  });

  it("whose answer ends too early, without an error: is unknown, where the carrier says its id in the body", async () => {
    const { status } = await carrier.accepts();
    const whole = await (await carrier.accepts()).text();
    for (let end = 0; end < whole.length; end += Math.ceil(whole.length / 15)) {
      const { submission } = await submitTo(carrier, () => text(whole.slice(0, end), status));
      expect([end, submission.kind]).toEqual([end, carrier.carrierMessageId === null ? "accepted" : "unknown"]);
    }
  });

  it("refused at great length: has a reason that can be stored with a hundred others", async () => {
    const words = "no ".repeat(5000);
    const answer = () => json({ code: 21211, message: words, errors: [{ code: "40310", title: words }] }, 400);
    const { submission } = await submitTo(carrier, answer);
    expect(submission).toMatchObject({ kind: "refused", reason: expect.stringMatching(/no no no/) });
    expect(JSON.stringify(submission).length).toBeLessThan(1000);
  });

  it("answered 200 by something that is not the carrier: is unknown", async () => {
    const { submission } = await submitTo(carrier, () => text("<html>Back soon</html>", 200));
    expect(submission).toMatchObject({ kind: "unknown", failing: "carrier" });
  });

  it.each(UNSENT)("that Cloudflare could not pass on (%d, %s): is to be tried again", async (status) => {
    const { submission } = await submitTo(carrier, () => text("error code: 1000", status));
    const words = carrier.name === "kannel" ? ": error code: 1000" : "";
    const reason = `${carrier.name}: HTTP ${status}${words} (${unreachedBecause(status)})`;
    expect(submission).toEqual({ kind: "later", failing: "carrier", reason });
  });

  it("that the platform does not carry (too many subrequests): is to be tried again, and it is not blamed", async () => {
    const refuse = () => Promise.reject(new Error("Too many subrequests by single Worker invocation."));
    const { submission } = await submitTo(carrier, refuse);
    const reason = expect.stringMatching(/Too many subrequests/);
    expect(submission).toEqual({ kind: "later", exhausted: true, reason });
  });

  it("with media: gets it, or refuses it as a carrier of text alone", async () => {
    const { submission, requests } = await submitTo(carrier, carrier.accepts, { mediaUrl: MEDIA });
    const reason = expect.stringMatching(/cannot carry media/);
    const refused = { kind: "refused", code: "MEDIA_NOT_SUPPORTED", reason };
    expect(submission).toEqual(
      carrier.carriesMedia ? { kind: "accepted", carrierMessageId: carrier.carrierMessageId } : refused,
    );
    expect(requests.map(({ mediaUrls, faults }) => [mediaUrls, faults])).toEqual(
      carrier.carriesMedia ? [[[MEDIA], []]] : [],
    );
  });

  it("without one of its settings, or all: is not set up, and names what it lacks", () => {
    const { PUBLIC_ORIGIN, ...settings } = { PUBLIC_ORIGIN: SETTINGS.PUBLIC_ORIGIN ?? "", ...carrier.settings };
    const faults = (given: Record<string, string>) =>
      carrierRules(makeCarriers(readConfig(given))).faults(carrier.name, OURS);
    const lacks = (...names: string[]) => [
      { field: "carrier", message: `${carrier.name} is not set up: it lacks ${names.join(", ")}` },
    ];
    expect(faults({ ...settings, PUBLIC_ORIGIN })).toEqual([]);
    for (const name of Object.keys(settings)) {
      expect(faults({ ...settings, PUBLIC_ORIGIN, [name]: "" })).toEqual(lacks(name));
    }
    expect(faults({ ...settings, PUBLIC_ORIGIN: "" })).toEqual(lacks("PUBLIC_ORIGIN"));
    expect(faults({})).toEqual(lacks(...Object.keys(settings), "PUBLIC_ORIGIN"));
  });
});

describe.each(OPTING_OUT)("$name, with a message", (carrier) => {
  it("to somebody who has opted out there: is refused, and says so", async () => {
    const { submission } = await submitTo(carrier, carrier.optOut?.refusal);
    const reason = expect.stringMatching(`^${carrier.name}: HTTP 4`);
    expect(submission).toEqual({ kind: "refused", reason, optedOut: true });
  });
});
