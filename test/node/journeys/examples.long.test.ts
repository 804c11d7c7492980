import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  endExamples,
  LANGUAGES,
  type Language,
  makeSender,
  OTHER,
  PHONE,
  PYTHON,
  readAnswer,
  readAnswers,
  runClient,
  runScript,
  settings,
  startFake,
  WITHOUT_CURL,
} from "../harness/examples.ts";
import type { Behaviour } from "../harness/receiver.ts";
import { makeFolder, operate, untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

const UNKNOWN = "+12125550199";

const folder = makeFolder();
let service: SharedService;

afterAll(endExamples);

afterAll(() => folder.remove());

function statuses(...subscribed: [phone: string, subscribed: boolean][]) {
  return subscribed.map(([phoneNumber, subscriptionStatus]) => ({ phoneNumber, subscriptionStatus }));
}

describe.concurrent("against the service", () => {
  beforeAll(async () => {
    service = await sharedService();
  });

  describe.skipIf(WITHOUT_CURL)("curl.sh", () => {
    test("each call is answered as it says", async () => {
      const { code, output } = await runScript(settings(await makeSender(service.url)));
      expect(code, output).toBe(0);
      const labelled = readAnswers(output);
      expect(labelled.map(({ label }) => label)).toEqual([
        ...["unsubscribed", "subscriptions", "subscribed", "subscriptions of a file", "sent", "status", "statuses"],
        ...["events", "scheduled", "cancelled", "sent in bulk", "test event", "refused lately"],
      ]);
      const answers = labelled.map(({ answer }) => answer);
      const [
        unsubscribed,
        askedByArray,
        subscribed,
        askedByFile,
        sent,
        status,
        listed,
        feed,
        later,
        cancelled,
        bulk,
        tested,
        lately,
      ] = answers;
      expect(unsubscribed).toMatchObject({ invalidPhoneNumbers: [] });
      expect(askedByArray.phoneNumberStatuses).toEqual(statuses([PHONE, true], [OTHER, false]));
      expect(subscribed).toMatchObject({ failedToProcessNumbers: [] });
      expect(askedByFile).toEqual({
        phoneNumberStatuses: statuses([PHONE, true], [OTHER, true]),
        invalidPhoneNumbers: [],
      });
      expect(status.messageId).toBe(sent.messageId);
      expect(listed).toMatchObject({ messages: [{ messageId: sent.messageId }], unknownMessageIds: [] });
      expect(feed).toMatchObject({ events: expect.any(Array), next: expect.any(String), more: false });
      expect(later).toEqual({ messageId: expect.any(String), scheduledFor: expect.any(String) });
      expect(Date.parse(later.scheduledFor)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
      expect(cancelled).toEqual({ cancelled: [later.messageId], notCancelled: [] });
      expect(bulk).toMatchObject({ successSent: [{ index: 0 }, { index: 1 }], failedSent: [] });
      expect(tested).toMatchObject({ eventId: expect.stringMatching(/^test_/), outcome: expect.any(String) });
      expect(lately).toMatchObject({ refused: [] });
      for (const { messageId } of [sent, ...bulk.successSent]) await untilStatus(service.url, messageId, "DELIVERED");
      expect(answers).toHaveLength(13);
    });

    test("shows why a text is refused", async () => {
      const client = await makeSender(service.url);
      await operate(service.url, "PATCH", `/clients/${client.clientId}`, {
        operations: ["subscription", "subscribe", "unsubscribe"],
      });
      const { code, output } = await runScript(settings(client));
      expect(code).not.toBe(0);
      expect(output).toContain('"code":40301');
    });
  });

  describe.each(LANGUAGES)("client.$extension", (language) => {
    test("schedules a text, and cancels it", async () => {
      const client = await makeSender(service.url);
      const at = new Date(Date.now() + 86_400_000).toISOString();
      const { output } = await runClient(language, client, "schedule", PHONE, at, "Later", "Europe/Berlin", "DE-BE");
      const { messageId } = readAnswer(output, "scheduled");
      const answer = await runClient(language, client, "cancel", messageId, "unknown");
      expect(readAnswer(answer.output, "cancelled")).toEqual({
        cancelled: [messageId],
        notCancelled: [{ messageId: "unknown", status: null }],
      });
      const { code } = await runClient(language, client, "schedule", PHONE, at, "Later");
      expect(code).toBe(0);
      const refused = await runClient(language, client, "schedule", PHONE, at, "Later", "Nowhere/Land");
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("timeZone")]);
    });

    test("has a test event posted, and shows what the endpoint answered", async () => {
      const { output } = await runClient(language, await makeSender(service.url), "test-event");
      expect(readAnswer(output, "test event")).toMatchObject({ outcome: "unreachable", httpStatus: null });
    });

    test("asks for subscriptions, with an array and with a file", async () => {
      const client = await makeSender(service.url);
      const file = join(folder.folder, `numbers-${language.extension}.csv`);
      writeFileSync(file, `phone_numbers,name\r\n${UNKNOWN},Ada\r\n${PHONE},Grace\r\n1.2E+10,Edsger\r\n`);
      const [byArray, byFile] = await Promise.all([
        runClient(language, client, "subscriptions", PHONE, UNKNOWN),
        runClient(language, client, "subscriptions", file),
      ]);
      expect(readAnswer(byArray.output, "subscriptions")).toEqual({
        phoneNumberStatuses: statuses([PHONE, true], [UNKNOWN, false]),
        invalidPhoneNumbers: [],
      });
      expect(readAnswer(byFile.output, "subscriptions")).toEqual({
        phoneNumberStatuses: statuses([UNKNOWN, false], [PHONE, true]),
        invalidPhoneNumbers: ["1.2E+10"],
      });
    });

    test("reads events, and goes on where it stopped", async () => {
      const client = await makeSender(service.url);
      const { output } = await runClient(language, client, "send", PHONE, "Hello");
      const { messageId } = readAnswer(output, "sent");
      await untilStatus(service.url, messageId, "DELIVERED");
      const first = readAnswers((await runClient(language, client, "events")).output);
      const cursor = first.at(-1)?.answer;
      expect(first.map(({ label, answer }) => [label, answer.status])).toEqual([
        ["event", "SENDING"],
        ["event", "DELIVERED"],
        ["next cursor", undefined],
      ]);
      expect(readAnswer((await runClient(language, client, "events", cursor)).output, "next cursor")).toBe(cursor);
    });

    test("shows code, message and every detail of a refusal, and does not repeat it", async () => {
      const { code, output } = await runClient(language, await makeSender(service.url), "send", "212-555-0100", " ");
      expect(code).toBe(1);
      const { output: single } = await runClient(language, await makeSender(service.url), "send", PHONE, " ");
      expect(single).toMatch(/^40001: text: [^\n]+$/);
      expect(output).toMatch(/^40001: 2 rules are broken.*\n(phone: .+\ntext: .+|text: .+\nphone: .+)$/);
    });
  });

  /** client.mjs leaves that to the package. */
  describe.skipIf(PYTHON === undefined)("client.py", () => {
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
      const client = { ...(await makeSender(service.url)), url: proxy.url };
      const { code, output } = await runClient(PYTHON as Language, client, "send", PHONE, "Hello");
      expect(code, output).toBe(0);
      const { messageId } = readAnswer(output, "sent");
      expect(answers.map((text) => JSON.parse(text))).toEqual([{ messageId }, { messageId }]);
      const { attempts } = await untilStatus(service.url, messageId, "DELIVERED");
      expect(attempts).toBe(1);
    });
  });
});
