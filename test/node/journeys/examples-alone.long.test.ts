import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, test } from "vitest";
import {
  endExamples,
  LANGUAGES,
  type Language,
  PHONE,
  PYTHON,
  readAnswer,
  runClient,
  runReceiver,
  runScript,
  settings,
  startFake,
  strangerOf,
  WITHOUT_CURL,
} from "../harness/examples.ts";
import { waitFor } from "../harness/processes.ts";
import type { Behaviour } from "../harness/receiver.ts";
import { findFreePort } from "../harness/service.ts";

const UUID = /^[0-9a-f-]{36}$/;

const folders: string[] = [];

afterAll(endExamples);

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function reply(status: number, body: object | string, headers: Record<string, string> = {}): Behaviour {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (response) => response.writeHead(status, headers).end(text);
}

const AFTER_A_SECOND = { "retry-after": "1" };
const LIMITED = reply(429, { code: 42900, message: "More than 300 requests.", details: [] }, AFTER_A_SECOND);
const UNAVAILABLE = reply(503, { code: 50300, message: "A store did not answer.", details: [] }, AFTER_A_SECOND);
const TIMED_OUT = reply(408, { code: 40800, message: "The body broke off.", details: [] });
const BAD_GATEWAY = reply(502, "<h1>Bad gateway</h1>");

describe.skipIf(WITHOUT_CURL).concurrent("curl.sh", () => {
  test("repeats each call after what may pass, a text with its key", async () => {
    const accepted = reply(200, { messageId: "the-id" });
    const failures = [
      TIMED_OUT,
      BAD_GATEWAY,
      UNAVAILABLE,
      LIMITED,
      TIMED_OUT,
      LIMITED,
      UNAVAILABLE,
      LIMITED,
      UNAVAILABLE,
      TIMED_OUT,
      BAD_GATEWAY,
      LIMITED,
      UNAVAILABLE,
    ];
    const [first = accepted, ...others] = failures.flatMap((failure) => [failure, accepted]);
    const fake = await startFake(first, ...others);
    const { code, output } = await runScript(settings(strangerOf(fake.url)));
    expect(code, output).toBe(0);
    const attempts = fake.received.filter((_, index) => index % 2 === 0);
    expect(fake.received.filter((_, index) => index % 2 === 1)).toEqual(attempts);
    expect(attempts).toHaveLength(failures.length);
    const [sent, asked, listed, events, scheduled, cancelled, bulk] = attempts.slice(4);
    expect(sent?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
    expect(bulk?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
    expect(scheduled?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
    const keys = [sent, scheduled, bulk].map((call) => call?.headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(3);
    expect(cancelled?.path).toBe("/text/message/cancel");
    expect(asked?.path).toBe("/text/message/status?messageId=the-id");
    expect([listed?.path, events?.path]).toEqual(["/text/message/statuses", "/text/events?limit=10"]);
  });
});

/** client.mjs and receiver.mjs leave repetitions and signatures to the package. */
describe.skipIf(PYTHON === undefined).concurrent("client.py", () => {
  const language = PYTHON as Language;

  test("shows a refusal that is not the service's own", async () => {
    const proxy = await startFake(reply(403, "<h1>Blocked</h1>"));
    const { code, output } = await runClient(language, strangerOf(proxy.url), "send", PHONE, "Hello");
    expect({ code, output }).toEqual({ code: 1, output: "40300: <h1>Blocked</h1>" });
    expect(proxy.received).toHaveLength(1);
  });

  test("repeats after 500, 429 and 503 with the same key, when Retry-After has passed", async () => {
    const failed = reply(500, { code: 50000, message: "Internal server error.", details: [] });
    const fake = await startFake(failed, LIMITED, UNAVAILABLE, reply(200, { messageId: "the-id" }));
    const { code, output } = await runClient(language, strangerOf(fake.url), "send", PHONE, "Hello");
    expect(code, output).toBe(0);
    expect(readAnswer(output, "sent")).toEqual({ messageId: "the-id" });
    const [, limited = 0, unavailable = 0, accepted = 0] = fake.times;
    expect(Math.min(unavailable - limited, accepted - unavailable)).toBeGreaterThanOrEqual(990);
    const keys = new Set(fake.received.map(({ headers }) => headers["idempotency-key"]));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(UUID);
    expect(new Set(fake.received.map(({ body }) => body)).size).toBe(1);
  });

  test("repeats after 408, and after what a proxy answers in its place, with the same key", async () => {
    const fake = await startFake(TIMED_OUT, BAD_GATEWAY, reply(200, { messageId: "the-id" }));
    const { code, output } = await runClient(language, strangerOf(fake.url), "send", PHONE, "Hello");
    expect(code, output).toBe(0);
    const keys = fake.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  });

  test("repeats a question too, and a refusal not", async () => {
    const fake = await startFake(TIMED_OUT, reply(413, { code: 41300, message: "Too large.", details: [] }));
    const { code, output } = await runClient(language, strangerOf(fake.url), "subscriptions", PHONE);
    expect({ code, output }).toEqual({ code: 1, output: "41300: Too large." });
    expect(fake.received).toHaveLength(2);
  });

  test("leaves it to its caller to come back hours later", async () => {
    const limit = { code: 42901, message: "This website accepts no more texts for now.", details: [] };
    const fake = await startFake(reply(429, limit, { "retry-after": "3600" }));
    const { code, output } = await runClient(language, strangerOf(fake.url), "send", PHONE, "Hello");
    expect({ code, output }).toEqual({ code: 1, output: `42901: ${limit.message}` });
    expect(fake.received).toHaveLength(1);
  });

  test("gives up in the end, and shows why", async () => {
    const fake = await startFake(UNAVAILABLE);
    const { code, output } = await runClient(language, strangerOf(fake.url), "send", PHONE, "Hello");
    expect({ code, output }).toEqual({ code: 1, output: "50300: A store did not answer." });
    expect(fake.received).toHaveLength(5);
  });
});

/** A receiver that runs, with a callback secret of its own. */
async function startExample(language: Language) {
  const port = await findFreePort();
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const folder = mkdtempSync(join(tmpdir(), "textgate-events-"));
  folders.push(folder);
  const startAgain = () => runReceiver(language, secret, port, join(folder, "events"));
  const { child, output, exited } = await startAgain();
  const post = async (headers: Record<string, string>, body: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status;
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { secret, folder, output, post, kill, startAgain };
}

function makeEvent(messageId: string, status: string, occurredAt: string, reason: string | null = null): string {
  const eventId = `${messageId}_${status}`;
  return JSON.stringify({ eventId, eventType: "message.status", messageId, status, reason, occurredAt });
}

function sign(secret: string, body: string, at = Date.now()) {
  const { eventId } = JSON.parse(body);
  const signature = new Webhook(secret).sign(eventId, new Date(at), body);
  return { "webhook-id": eventId, "webhook-timestamp": `${Math.floor(at / 1000)}`, "webhook-signature": signature };
}

describe.concurrent.each(LANGUAGES)("receiver.$extension", (language) => {
  test("stores and names an event of a type that it does not know", async () => {
    const { secret, folder, output, post } = await startExample(language);
    const received = { from: PHONE, to: "+12125550000", text: "STOP", mediaUrls: [], keyword: "stop", inReplyTo: null };
    const changed = { phone: PHONE, subscribed: false, source: "keyword", changeId: 1 };
    for (const [eventType, fields] of Object.entries({
      "message.received": received,
      "subscription.changed": changed,
    })) {
      const body = JSON.stringify({ eventId: `n1_${eventType}`, eventType, ...fields });
      expect(await post(sign(secret, body), body)).toBe(204);
      await waitFor("the event", () => output().includes(`n1_${eventType}`));
      expect(readFileSync(join(folder, "events")).toString("latin1")).toContain(eventType);
    }
    const status = makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.000Z");
    expect(await post({}, status)).toBe(401);
    expect(await post(sign(secret, status), status)).toBe(204);
    await waitFor("the status", () => output().includes("m1_DELIVERED: the message is DELIVERED"));
  });

  test("has stored what it has answered: killed and started again, it knows the event", async () => {
    const { secret, post, kill, startAgain } = await startExample(language);
    const delivered = makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.001Z");
    expect(await post(sign(secret, delivered), delivered)).toBe(204);
    await kill();
    const { output } = await startAgain();
    expect(await post(sign(secret, delivered), delivered)).toBe(204);
    const sending = makeEvent("m1", "SENDING", "2026-11-21T12:00:00.000Z");
    expect(await post(sign(secret, sending), sending)).toBe(204);
    await waitFor("the event", () => output().includes("m1_SENDING"));
    expect(output().trim().split("\n").slice(1)).toEqual(["m1_SENDING: the message is DELIVERED"]);
  });

  test("does not take what it cannot store, and names it", async () => {
    const { secret, folder, output, post } = await startExample(language);
    rmSync(folder, { recursive: true });
    const body = makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.000Z");
    const refused = [await post(sign(secret, body), body), await post(sign(secret, body), body)];
    expect(refused).toEqual([503, 503]);
    expect(output()).toContain("m1_DELIVERED is not stored: ");
    expect(output()).not.toContain("the message is");
  });

  test("ignores a repetition, and what comes late does not undo what occurred after it", async () => {
    const { secret, output, post } = await startExample(language);
    const events = [
      makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.001Z"),
      makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.001Z"),
      makeEvent("m1", "SENDING", "2026-11-21T12:00:00.000Z"),
      makeEvent("m2", "SENDING", "2026-11-21T12:00:00.000Z"),
      makeEvent("m2", "FAILED_TO_DELIVERY", "2026-11-21T12:00:00.000Z", "UNDELIVERED"),
    ];
    for (const body of events) {
      expect(await post(sign(secret, body), body)).toBe(204);
      await waitFor("the event", () => output().includes(`\n${JSON.parse(body).eventId}: `));
    }
    expect(output().trim().split("\n").slice(1)).toEqual([
      "m1_DELIVERED: the message is DELIVERED",
      "m1_SENDING: the message is DELIVERED",
      "m2_SENDING: the message is SENDING",
      "m2_FAILED_TO_DELIVERY: the message is FAILED_TO_DELIVERY, UNDELIVERED",
    ]);
  });
});

describe.skipIf(PYTHON === undefined).concurrent("receiver.py", () => {
  test("refuses what is forged, altered, old or unsigned", async () => {
    const { secret, output, post } = await startExample(PYTHON as Language);
    const body = makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.000Z");
    const genuine = sign(secret, body);
    const forged = sign(`whsec_${Buffer.alloc(24).toString("base64")}`, body);
    const signature = genuine["webhook-signature"];
    const minutes = 60_000;
    const answers = {
      forged: await post(forged, body),
      alteredBody: await post(genuine, body.replace("DELIVERED", "FAILED_TO_DELIVERY")),
      alteredId: await post({ ...genuine, "webhook-id": "m1_SENDING" }, body),
      alteredTime: await post({ ...genuine, "webhook-timestamp": "1" }, body),
      old: await post(sign(secret, body, Date.now() - 6 * minutes), body),
      early: await post(sign(secret, body, Date.now() + 6 * minutes), body),
      otherVersion: await post({ ...genuine, "webhook-signature": signature.replace("v1,", "v2,") }, body),
      cutOff: await post({ ...genuine, "webhook-signature": signature.slice(0, -4) }, body),
      unsigned: await post({}, body),
    };
    expect(Object.entries(answers).filter(([, status]) => status !== 401)).toEqual([]);
    expect(output()).not.toContain("the message is");
    expect(await post(genuine, body)).toBe(204);
  });

  test("accepts either of two signatures, 4 minutes late", async () => {
    const { secret, output, post } = await startExample(PYTHON as Language);
    const body = makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.000Z");
    const at = Date.now() - 4 * 60_000;
    const other = sign(`whsec_${Buffer.alloc(24).toString("base64")}`, body, at);
    const genuine = sign(secret, body, at);
    const both = `${other["webhook-signature"]} ${genuine["webhook-signature"]}`;
    expect(await post({ ...genuine, "webhook-signature": both }, body)).toBe(204);
    await waitFor("the event", () => output().includes("m1_DELIVERED: the message is DELIVERED"));
  });
});
