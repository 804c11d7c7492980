import { describe, expect, test, vi } from "vitest";
import { checkSettings, readSecrets } from "../../../scripts/deploy-check/settings.ts";

// The carriers stand beside code that only workerd can run.
vi.mock("cloudflare:sockets", () => ({ connect: undefined }));

const HOST = "sms.textgate.test";
const ORIGIN = { PUBLIC_ORIGIN: `https://${HOST}` };
const named = (...names: string[]) => readSecrets(JSON.stringify(names.map((name) => ({ name, type: "secret_text" }))));
const KEYS = ["OPERATOR_TOKEN", "SERVICE_KEY"];
const TWILIO = ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"];
const TELNYX = ["TELNYX_API_KEY", "TELNYX_PUBLIC_KEY"];

const find = async (...args: Parameters<typeof checkSettings>) =>
  (await checkSettings(...args)).map(({ what }) => what);

describe("the settings", () => {
  test("have nothing to fix with an origin, both keys and a whole carrier", async () => {
    expect(await find(ORIGIN, named(...KEYS, ...TWILIO), [HOST])).toEqual([]);
    expect(await find(ORIGIN, named(...KEYS, ...TELNYX), [HOST])).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string[], string]>([
    ["no origin", {}, [], "PUBLIC_ORIGIN is not set."],
    [
      "the placeholder",
      { PUBLIC_ORIGIN: "https://sms.example.com" },
      [],
      "PUBLIC_ORIGIN is still the placeholder https://sms.example.com.",
    ],
    ["http", { PUBLIC_ORIGIN: `http://${HOST}` }, [HOST], `PUBLIC_ORIGIN is http://${HOST}.`],
    ["http in links", { ...ORIGIN, LINK_ORIGIN: "http://t.test" }, [HOST], "LINK_ORIGIN is http://t.test."],
    ["another host", ORIGIN, ["b.test"], `PUBLIC_ORIGIN is https://${HOST}, and [[routes]] has b.test.`],
    [
      "a team of Access without an application",
      { ...ORIGIN, ACCESS_TEAM_DOMAIN: "brand.cloudflareaccess.com" },
      [HOST],
      "ACCESS_TEAM_DOMAIN is set, and ACCESS_AUD is not.",
    ],
    [
      "an application of Access without its team",
      { ...ORIGIN, ACCESS_AUD: "a".repeat(64) },
      [HOST],
      "ACCESS_AUD is set, and ACCESS_TEAM_DOMAIN is not.",
    ],
    [
      "another host as the team of Access",
      { ...ORIGIN, ACCESS_TEAM_DOMAIN: "https://access.test", ACCESS_AUD: "a".repeat(64) },
      [HOST],
      "wrong configuration: ACCESS_TEAM_DOMAIN: must be the domain of the team, such as brand.cloudflareaccess.com.",
    ],
    [
      "a name in the place of the tag of Access",
      { ...ORIGIN, ACCESS_TEAM_DOMAIN: "brand.cloudflareaccess.com", ACCESS_AUD: "console" },
      [HOST],
      "wrong configuration: ACCESS_AUD: must be the application's AUD tag: 64 lower-case hex characters.",
    ],
    [
      "a path",
      { PUBLIC_ORIGIN: `https://${HOST}/x` },
      [],
      "wrong configuration: PUBLIC_ORIGIN: must be an origin, such as https://sms.example.com.",
    ],
    [
      "a number out of range",
      { ...ORIGIN, RETENTION_DAYS: "6" },
      [],
      "wrong configuration: RETENTION_DAYS: must be a number from 7 to 3650.",
    ],
    [
      "a word for a number",
      { ...ORIGIN, RETENTION_DAYS: "month" },
      [],
      "wrong configuration: RETENTION_DAYS: must be a number from 7 to 3650.",
    ],
    [
      "a URL of another scheme",
      { ...ORIGIN, TELNYX_API_URL: "ftp://telnyx.test" },
      [],
      "wrong configuration: TELNYX_API_URL: must be an absolute http or https URL.",
    ],
    [
      "an unknown word",
      { ...ORIGIN, KANNEL_CONNECT_PROBE: "yes" },
      [],
      "wrong configuration: KANNEL_CONNECT_PROBE: must be on or off.",
    ],
  ])("show %s", async (_, vars, hosts, what) => {
    expect(await find(vars, named(...KEYS, ...TWILIO), hosts)).toEqual([what]);
  });

  test.each<[string[], string[]]>([
    [TWILIO, ["The secret OPERATOR_TOKEN is not set.", "The secret SERVICE_KEY is not set."]],
    [["OPERATOR_TOKEN", ...TWILIO], ["The secret SERVICE_KEY is not set."]],
    [KEYS, ["No carrier is set up."]],
    [[...KEYS, "TWILIO_AUTH_TOKEN"], ["The carrier twilio lacks TWILIO_ACCOUNT_SID."]],
    [[...KEYS, ...TWILIO, "TELNYX_API_KEY"], ["The carrier telnyx lacks TELNYX_PUBLIC_KEY."]],
    [
      [...KEYS, "KANNEL_USERNAME"],
      ["The carrier kannel lacks KANNEL_SENDSMS_URL, KANNEL_PASSWORD, KANNEL_WEBHOOK_KEY."],
    ],
  ])("show what lacks of %j", async (secrets, whats) => {
    expect(await find(ORIGIN, named(...secrets), [HOST])).toEqual(whats);
  });

  test("are not searched for secrets that are not known", async () => {
    expect(await find(ORIGIN, undefined, [HOST])).toEqual([]);
  });

  test("name PUBLIC_ORIGIN once", async () => {
    expect(await find({}, named(...KEYS, ...TWILIO), [])).toEqual(["PUBLIC_ORIGIN is not set."]);
  });
});

describe("secrets with their values", () => {
  const lines = (key: string) => readSecrets(["OPERATOR_TOKEN=t", "SERVICE_KEY=k", "TELNYX_API_KEY=a", key].join("\n"));

  test("are held to the service's own rules, and not shown", async () => {
    const [finding] = await find(ORIGIN, lines("TELNYX_PUBLIC_KEY=c2hvcnQ="), [HOST]);
    expect(finding).toBe("wrong configuration: TELNYX_PUBLIC_KEY: must be an Ed25519 public key: 32 bytes in Base64.");
    const whole = Buffer.alloc(32, 7).toString("base64");
    expect(await find(ORIGIN, lines(`TELNYX_PUBLIC_KEY=${whole}`), [HOST])).toEqual([]);
  });

  test("count as missing when they are empty", async () => {
    expect(await find(ORIGIN, lines("TELNYX_PUBLIC_KEY="), [HOST])).toEqual([
      "The carrier telnyx lacks TELNYX_PUBLIC_KEY.",
    ]);
  });

  test("must be a list or lines", () => {
    expect(() => readSecrets("[1")).toThrow(SyntaxError);
  });
});
