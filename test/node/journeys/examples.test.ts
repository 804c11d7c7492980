import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  endExamples,
  finish,
  LANGUAGES,
  makeSender,
  PHONE,
  readAnswer,
  runClient,
  runReceiver,
  runScript,
  settings,
  start,
  strangerOf,
  WITHOUT_CURL,
} from "../harness/examples.ts";
import { waitFor } from "../harness/processes.ts";
import { findFreePort, makeClient, makeFolder, operate, untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

const folder = makeFolder();
let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

afterAll(endExamples);

afterAll(() => folder.remove());

describe("against the service", () => {
  describe.skipIf(WITHOUT_CURL)("curl.sh", () => {
    test("stops at the first call that is refused, and shows why", async () => {
      const { code, output } = await runScript(settings(strangerOf(service.url)));
      expect(code).not.toBe(0);
      expect(output.match(/"code":/g)).toHaveLength(1);
      expect(output).toContain('"code":40101');
    });
  });

  describe.concurrent.each(LANGUAGES)("client.$extension", (language) => {
    test("sends a text, which is delivered", async () => {
      const { code, output } = await runClient(
        language,
        await makeSender(service.url),
        "send",
        PHONE,
        'Brand: "hé" 💬',
      );
      expect(code, output).toBe(0);
      const { text } = await untilStatus(service.url, readAnswer(output, "sent").messageId, "DELIVERED");
      expect(text).toBe('Brand: "hé" 💬');
    });
  });

  describe.concurrent.each(LANGUAGES)("receiver.$extension", (language) => {
    test("accepts the service's callbacks", async () => {
      const port = await findFreePort();
      const client = await makeClient(service.url, `http://127.0.0.1:${port}/`, [PHONE]);
      const { output } = await runReceiver(
        language,
        client.callbackSecret,
        port,
        join(folder.folder, `events-${language.extension}`),
      );
      const sent = await finish(start(process.execPath, "client.mjs", ["send", PHONE, "Hello"], settings(client)));
      const { messageId } = readAnswer(sent.output, "sent");
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
  });
});
