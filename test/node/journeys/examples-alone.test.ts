import { afterAll, describe, expect, test } from "vitest";
import {
  endExamples,
  finish,
  LANGUAGES,
  NOWHERE,
  PHONE,
  runClient,
  runScript,
  settings,
  start,
  strangerOf,
  WITHOUT_CURL,
} from "../harness/examples.ts";

afterAll(endExamples);

describe.skipIf(WITHOUT_CURL)("curl.sh", () => {
  test.each(["TEXTGATE_URL", "CLIENT_ID", "CLIENT_SECRET"])("says that %s is missing", async (name) => {
    const { code, output } = await runScript({ ...settings(strangerOf(NOWHERE)), [name]: "" });
    expect(code).not.toBe(0);
    expect(output).toContain(`${name}: is missing`);
  });
});

describe.each(LANGUAGES)("client.$extension", (language) => {
  test("says what is missing", async () => {
    const client = strangerOf(NOWHERE);
    const withoutSecret = await runClient(language, { ...client, clientSecret: "" }, "send", PHONE, "Hello");
    expect(withoutSecret).toEqual({ code: 1, output: "CLIENT_SECRET is missing in the environment" });
    const withoutText = await runClient(language, client, "send", PHONE);
    expect(withoutText).toEqual({ code: 1, output: expect.stringMatching(/^usage: /) });
  });
});

describe.each(LANGUAGES)("receiver.$extension", (language) => {
  test("says that the secret is missing", async () => {
    const { code, output } = await finish(
      start(language.program, `receiver.${language.extension}`, ["0"], { CALLBACK_SECRET: "" }),
    );
    expect(code).toBe(1);
    expect(output).toContain("CALLBACK_SECRET is missing");
  });
});
