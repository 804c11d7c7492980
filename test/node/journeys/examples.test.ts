import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Run, run, waitFor } from "../harness/processes.ts";
import { type Behaviour, type Receiver, startReceiver } from "../harness/receiver.ts";
import {
  type Client,
  findFreePort,
  makeClient,
  operate,
  type Service,
  startService,
  untilStatus,
} from "../harness/service.ts";

const PHONE = "+12125550100";
const OTHER = "+12125550101";
const UNKNOWN = "+12125550199";
const UUID = /^[0-9a-f-]{36}$/;

let service: Service;
const runs: Run[] = [];
const fakes: Receiver[] = [];

afterAll(async () => {
  for (const { child } of runs) child.kill();
  for (const fake of fakes) await fake.close();
});

function isMissing(program: string): boolean {
  const missing = spawnSync(program, ["--version"]).error !== undefined;
  if (missing) console.warn(`${program} is not installed: its examples are not run`);
  return missing;
}

const LANGUAGES = [
  { extension: "mjs", program: process.execPath },
  { extension: "py", program: "python3" },
].filter(({ program }) => !isMissing(program));

type Language = (typeof LANGUAGES)[number];

const WITHOUT_CURL = ["bash", "curl", "openssl"].some(isMissing);

function start(program: string, file: string, args: string[], env: Record<string, string>): Run {
  const example = run(program, [`examples/${file}`, ...args], { env });
  example.child.stdin?.on("error", () => {}); // it may have ended already
  runs.push(example);
  return example;
}

async function finish(example: Run): Promise<{ code: number | null; output: string }> {
  const code = await example.exited;
  return { code, output: example.output().trim() };
}

function settings({ url, clientId, clientSecret }: Client) {
  return { TEXTGATE_URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
}

function runScript(env: Record<string, string>) {
  return finish(start("bash", "curl.sh", [PHONE, OTHER], env));
}

function runClient({ extension, program }: Language, client: Client, ...args: string[]) {
  return finish(start(program, `client.${extension}`, args, settings(client)));
}

/** Nobody listens at this address. */
const NOWHERE = "http://127.0.0.1:9/";

/** Well-formed credentials that nobody was given. */
function strangerOf(url: string): Client {
  return { url, clientId: "0".repeat(32), clientSecret: "0".repeat(64), callbackSecret: "" };
}

function makeSender(): Promise<Client> {
  return makeClient(service.url, NOWHERE, [PHONE, OTHER]);
}

function statuses(...subscribed: [phone: string, subscribed: boolean][]) {
  return subscribed.map(([phoneNumber, subscriptionStatus]) => ({ phoneNumber, subscriptionStatus }));
}

/** A service that behaves as given, one request after the other, and then as the last says. */
async function startFake(...behaviours: [Behaviour, ...Behaviour[]]) {
  const times: number[] = [];
  const fake = await startReceiver((response) => {
    times.push(Date.now());
    const behave = behaviours[Math.min(times.length, behaviours.length) - 1];
    behave?.(response);
  });
  fakes.push(fake);
  return { ...fake, times };
}

function reply(status: number, body: object | string, headers: Record<string, string> = {}): Behaviour {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return (response) => response.writeHead(status, headers).end(text);
}

const AFTER_A_SECOND = { "retry-after": "1" };
const LIMITED = reply(429, { code: 42900, message: "More than 300 requests.", details: [] }, AFTER_A_SECOND);
const UNAVAILABLE = reply(503, { code: 50300, message: "A store did not answer.", details: [] }, AFTER_A_SECOND);

// The service takes longer to start than these take to run: both at the same time.
describe.concurrent("without the service", () => {
  describe.skipIf(WITHOUT_CURL)("curl.sh", () => {
    test("repeats after 429 with the same key", async () => {
      const accepted = reply(200, { messageId: "the-id" });
      const fake = await startFake(accepted, accepted, accepted, accepted, LIMITED, accepted);
      const { code, output } = await runScript(settings(strangerOf(fake.url)));
      expect(code, output).toBe(0);
      const [sent, repeated, asked, listed, events, bulk] = fake.received.slice(4);
      expect(repeated).toEqual(sent);
      expect(sent?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
      expect(bulk?.headers["idempotency-key"]).toMatch(/^[0-9a-f]{32}$/);
      expect(bulk?.headers["idempotency-key"]).not.toBe(sent?.headers["idempotency-key"]);
      expect([listed?.path, events?.path]).toEqual(["/text/message/statuses", "/text/events?limit=10"]);
      expect(asked?.path).toBe("/text/message/status?messageId=the-id");
    });

    test.each(["TEXTGATE_URL", "CLIENT_ID", "CLIENT_SECRET"])("says that %s is missing", async (name) => {
      const { code, output } = await runScript({ ...settings(strangerOf(NOWHERE)), [name]: "" });
      expect(code).not.toBe(0);
      expect(output).toContain(`${name}: is missing`);
    });
  });

  describe.each(LANGUAGES)("client.$extension", (language) => {
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
      expect(JSON.parse(output)).toEqual({ messageId: "the-id" });
      const [, limited = 0, unavailable = 0, accepted = 0] = fake.times;
      expect(Math.min(unavailable - limited, accepted - unavailable)).toBeGreaterThanOrEqual(990);
      const keys = new Set(fake.received.map(({ headers }) => headers["idempotency-key"]));
      expect(keys.size).toBe(1);
      expect([...keys][0]).toMatch(UUID);
      expect(new Set(fake.received.map(({ body }) => body)).size).toBe(1);
    });

    test("gives up in the end, and shows why", async () => {
      const fake = await startFake(UNAVAILABLE);
      const { code, output } = await runClient(language, strangerOf(fake.url), "send", PHONE, "Hello");
      expect({ code, output }).toEqual({ code: 1, output: "50300: A store did not answer." });
      expect(fake.received).toHaveLength(5);
    });

    test("says what is missing", async () => {
      const client = strangerOf(NOWHERE);
      const withoutSecret = await runClient(language, { ...client, clientSecret: "" }, "send", PHONE, "Hello");
      expect(withoutSecret).toEqual({ code: 1, output: "CLIENT_SECRET is missing in the environment" });
      const withoutText = await runClient(language, client, "send", PHONE);
      expect(withoutText).toEqual({ code: 1, output: expect.stringMatching(/^usage: /) });
    });
  });

  describe.each(LANGUAGES)("receiver.$extension", ({ extension, program }) => {
    test("says that the secret is missing", async () => {
      const { code, output } = await finish(start(program, `receiver.${extension}`, ["0"], { CALLBACK_SECRET: "" }));
      expect(code).toBe(1);
      expect(output).toContain("CALLBACK_SECRET is missing");
    });
  });
});

describe.concurrent("with the service", () => {
  beforeAll(async () => {
    service = await startService();
  });

  afterAll(() => service?.stop());

  describe.skipIf(WITHOUT_CURL)("curl.sh", () => {
    test("each call is answered as it says", async () => {
      const { code, output } = await runScript(settings(await makeSender()));
      expect(code, output).toBe(0);
      const answers = output.split("\n").map((line) => JSON.parse(line));
      const [unsubscribed, askedByArray, subscribed, askedByFile, sent, status, listed, feed, bulk] = answers;
      expect(unsubscribed).toMatchObject({ invalidPhoneNumbers: [] });
      expect(askedByArray.phoneNumberStatuses).toEqual(statuses([PHONE, true], [OTHER, false]));
      expect(subscribed).toMatchObject({ failedToProcessNumbers: [] });
      expect(askedByFile.phoneNumberStatuses).toEqual(statuses([PHONE, true], [OTHER, true]));
      expect(status.messageId).toBe(sent.messageId);
      expect(listed).toMatchObject({ messages: [{ messageId: sent.messageId }], unknownMessageIds: [] });
      expect(feed).toMatchObject({ events: expect.any(Array), next: expect.any(String), more: false });
      expect(bulk).toMatchObject({ successSent: [{ index: 0 }, { index: 1 }], failedSent: [] });
      for (const { messageId } of [sent, ...bulk.successSent]) await untilStatus(service.url, messageId, "DELIVERED");
      expect(answers).toHaveLength(9);
    });

    test("stops at the first call that is refused, and shows why", async () => {
      const { code, output } = await runScript(settings(strangerOf(service.url)));
      expect(code).not.toBe(0);
      expect(output.match(/"code":/g)).toHaveLength(1);
      expect(output).toContain('"code":40101');
    });

    test("shows why a text is refused", async () => {
      const client = await makeSender();
      await operate(service.url, "PATCH", `/clients/${client.clientId}`, {
        operations: ["subscription", "subscribe", "unsubscribe"],
      });
      const { code, output } = await runScript(settings(client));
      expect(code).not.toBe(0);
      expect(output).toContain('"code":40301');
    });
  });

  describe.each(LANGUAGES)("client.$extension", (language) => {
    test("sends a text, which is delivered", async () => {
      const { code, output } = await runClient(language, await makeSender(), "send", PHONE, 'Brand: "hé" 💬');
      expect(code, output).toBe(0);
      const { text } = await untilStatus(service.url, JSON.parse(output).messageId, "DELIVERED");
      expect(text).toBe('Brand: "hé" 💬');
    });

    test("asks for subscriptions, with an array and with a file", async () => {
      const client = await makeSender();
      const file = join(service.folder.folder, `numbers-${language.extension}.csv`);
      writeFileSync(file, `phone_numbers,name\r\n${UNKNOWN},Ada\r\n${PHONE},Grace\r\n1.2E+10,Edsger\r\n`);
      const [byArray, byFile] = await Promise.all([
        runClient(language, client, "subscriptions", PHONE, UNKNOWN),
        runClient(language, client, "subscriptions", file),
      ]);
      expect(JSON.parse(byArray.output)).toEqual({
        phoneNumberStatuses: statuses([PHONE, true], [UNKNOWN, false]),
        invalidPhoneNumbers: [],
      });
      expect(JSON.parse(byFile.output)).toEqual({
        phoneNumberStatuses: statuses([UNKNOWN, false], [PHONE, true]),
        invalidPhoneNumbers: ["1.2E+10"],
      });
    });

    test("shows code, message and every detail of a refusal, and does not repeat it", async () => {
      const { code, output } = await runClient(language, await makeSender(), "send", "212-555-0100", " ");
      expect(code).toBe(1);
      expect(output).toMatch(/^40001: 2 rules are broken.*\n(phone: .+\ntext: .+|text: .+\nphone: .+)$/);
    });

    test("sends one message when the answer to the first request is lost", async () => {
      const answers: string[] = [];
      const passOn: Behaviour = async (response) => {
        const { path, headers, body } = proxy.received[answers.length] ?? { path: "", headers: {}, body: "" };
        const kept = ["content-type", "idempotency-key", "x-client-id", "x-client-secret"];
        const passed = Object.fromEntries(kept.map((name) => [name, headers[name] ?? ""]));
        const answer = await fetch(service.url + path, { method: "POST", headers: passed, body });
        const text = await answer.text();
        if (answers.push(text) === 1) response.destroy();
        else response.writeHead(answer.status).end(text);
      };
      const proxy = await startFake(passOn);
      const client = { ...(await makeSender()), url: proxy.url };
      const { code, output } = await runClient(language, client, "send", PHONE, "Hello");
      expect(code, output).toBe(0);
      const { messageId } = JSON.parse(output);
      expect(answers.map((text) => JSON.parse(text))).toEqual([{ messageId }, { messageId }]);
      const { attempts } = await untilStatus(service.url, messageId, "DELIVERED");
      expect(attempts).toBe(1);
    });
  });

  describe.each(LANGUAGES)("receiver.$extension", ({ extension, program }) => {
    /** A receiver that runs, and the client that it belongs to. */
    async function startExample() {
      const port = await findFreePort();
      const url = `http://127.0.0.1:${port}/`;
      const client = await makeClient(service.url, url, [PHONE]);
      const env = { CALLBACK_SECRET: client.callbackSecret };
      const { output } = start(program, `receiver.${extension}`, [`${port}`], env);
      await waitFor("the receiver to listen", () => output().includes(url));
      const post = async (headers: Record<string, string>, body: string) =>
        (await fetch(url, { method: "POST", headers, body })).status;
      return { client, output, post };
    }

    function makeEvent(messageId: string, status: string, occurredAt: string): string {
      const eventId = `${messageId}_${status}`;
      return JSON.stringify({ eventId, eventType: "message.status", messageId, status, occurredAt });
    }

    function sign(secret: string, body: string, at = Date.now()) {
      const { eventId } = JSON.parse(body);
      const signature = new Webhook(secret).sign(eventId, new Date(at), body);
      return { "webhook-id": eventId, "webhook-timestamp": `${Math.floor(at / 1000)}`, "webhook-signature": signature };
    }

    test("accepts the service's callbacks", async () => {
      const { client, output } = await startExample();
      const sent = await finish(start(process.execPath, "client.mjs", ["send", PHONE, "Hello"], settings(client)));
      const { messageId } = JSON.parse(sent.output);
      for (const status of ["SENDING", "DELIVERED"]) {
        await waitFor(`the event ${status}`, () => output().includes(`${messageId}_${status}: the message is`));
      }
      expect(output().trim().split("\n").at(-1)).toMatch(/the message is DELIVERED$/);
      const { callbacks } = await waitFor("what came back", async () => {
        const message = await operate(service.url, "GET", `/messages/${messageId}`);
        return message.callbacks.every(({ outcome }: { outcome: string | null }) => outcome !== null) && message;
      });
      expect(callbacks.map(({ httpStatus }: { httpStatus: number }) => httpStatus)).toEqual([204, 204]);
    });

    test("refuses what is forged, altered, old or unsigned", async () => {
      const { client, output, post } = await startExample();
      const body = makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.000Z");
      const genuine = sign(client.callbackSecret, body);
      const forged = sign(`whsec_${Buffer.alloc(24).toString("base64")}`, body);
      const signature = genuine["webhook-signature"];
      const minutes = 60_000;
      const answers = {
        forged: await post(forged, body),
        alteredBody: await post(genuine, body.replace("DELIVERED", "FAILED_TO_DELIVERY")),
        alteredId: await post({ ...genuine, "webhook-id": "m1_SENDING" }, body),
        alteredTime: await post({ ...genuine, "webhook-timestamp": "1" }, body),
        old: await post(sign(client.callbackSecret, body, Date.now() - 6 * minutes), body),
        early: await post(sign(client.callbackSecret, body, Date.now() + 6 * minutes), body),
        otherVersion: await post({ ...genuine, "webhook-signature": signature.replace("v1,", "v2,") }, body),
        cutOff: await post({ ...genuine, "webhook-signature": signature.slice(0, -4) }, body),
        unsigned: await post({}, body),
      };
      expect(Object.entries(answers).filter(([, status]) => status !== 401)).toEqual([]);
      expect(output()).not.toContain("the message is");
      expect(await post(genuine, body)).toBe(204);
    });

    test("accepts either of two signatures, 4 minutes late", async () => {
      const { client, output, post } = await startExample();
      const body = makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.000Z");
      const at = Date.now() - 4 * 60_000;
      const other = sign(`whsec_${Buffer.alloc(24).toString("base64")}`, body, at);
      const genuine = sign(client.callbackSecret, body, at);
      const both = `${other["webhook-signature"]} ${genuine["webhook-signature"]}`;
      expect(await post({ ...genuine, "webhook-signature": both }, body)).toBe(204);
      await waitFor("the event", () => output().includes("m1_DELIVERED: the message is DELIVERED"));
    });

    test("ignores a repetition, and what comes late does not undo what occurred after it", async () => {
      const { client, output, post } = await startExample();
      const events = [
        makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.001Z"),
        makeEvent("m1", "DELIVERED", "2026-11-21T12:00:00.001Z"),
        makeEvent("m1", "SENDING", "2026-11-21T12:00:00.000Z"),
        makeEvent("m2", "SENDING", "2026-11-21T12:00:00.000Z"),
        makeEvent("m2", "FAILED_TO_DELIVERY", "2026-11-21T12:00:00.000Z"),
      ];
      for (const body of events) {
        expect(await post(sign(client.callbackSecret, body), body)).toBe(204);
        await waitFor("the event", () => output().includes(`\n${JSON.parse(body).eventId}: `));
      }
      expect(output().trim().split("\n").slice(1)).toEqual([
        "m1_DELIVERED: the message is DELIVERED",
        "m1_SENDING: the message is DELIVERED",
        "m2_SENDING: the message is SENDING",
        "m2_FAILED_TO_DELIVERY: the message is FAILED_TO_DELIVERY",
      ]);
    });
  });
});
