/** PUT /operator/websites/:websiteId : what is left out stays, and nobody gets the sandbox without asking for it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Carrier } from "../../src/carriers/carrier.ts";
import { sandbox } from "../../src/carriers/sandbox.ts";
import { World } from "../world.ts";

const WHOLE = {
  name: "Brand",
  carrier: "kannel",
  sender: "+12125550000",
  helpText: "Write to us",
  duplicateWindowHours: 24,
  optOutWords: ["BAJA", "no más"],
  timeZone: "Europe/Berlin",
  allowedCountries: ["US", "CA"],
  linkOrigin: "https://go.example.com",
  frequencyCap: { count: 3, hours: 24 },
  fallback: { carrier: "kannel", sender: "+12125550001" },
  dailyLimit: 5000,
  transactionalPurposes: ["login code"],
  sendingHours: {
    profile: "custom",
    windows: [{ days: ["mon", "sun"], from: "20:00", until: "02:00" }],
    whenClosed: "refuse",
  },
};

const WINDOW = { days: ["mon"], from: "09:00", until: "20:00" };
const custom = (fields: object) => ({ profile: "custom", windows: [{ ...WINDOW, ...fields }], whenClosed: "delay" });

let world: World;

beforeEach(async () => {
  world = await World.create();
  const kannel: Carrier = {
    ...sandbox,
    validateSender: (sender) => (sender === null ? "must be a number" : undefined),
  };
  setUp({ sandbox, kannel });
});

function setUp(ready: Record<string, Carrier>): void {
  world.deps = { ...world.deps, carriers: { ready, missing: { twilio: ["TWILIO_AUTH_TOKEN"] } } };
}

async function put(settings: object, websiteId = "brand") {
  const response = await world.operator("PUT", `/websites/${websiteId}`, settings);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const wrong = (field: string, message: RegExp | string) => ({
  status: 400,
  body: { code: 40001, details: [{ field, message: expect.stringMatching(message) }] },
});

describe("a new website with a sender of North America", () => {
  const NEW = { name: "Brand", carrier: "sandbox", sender: "+12125559999" };

  it("is shown the line that sets its sending hours, once", async () => {
    const { body } = await put(NEW);
    const [, json = ""] = /put-website brand --sending-hours '(.*)'$/.exec(String(body.advice)) ?? [];
    const { body: changed } = await put({ sendingHours: JSON.parse(json) });
    expect(changed).toMatchObject({ sendingHours: { profile: "us-strict", whenClosed: "delay" } });
    expect(changed).not.toHaveProperty("advice");
    await put({ sendingHours: null });
    expect((await put({ helpText: "Call us." })).body).not.toHaveProperty("advice");
    expect(await (await world.operator("GET", "/websites/brand")).json()).not.toHaveProperty("advice");
  });

  it.each([
    ["it has hours", { sendingHours: { profile: "us-strict", whenClosed: "refuse" } }],
    ["its sender is of another country", { sender: "+442071234567" }],
    ["its sender is no number", { sender: "12345" }],
    ["it has no sender", { sender: null }],
  ])("is shown nothing where %s", async (_, settings) => {
    expect((await put({ ...NEW, ...settings })).body).not.toHaveProperty("advice");
  });
});

describe("a website that is changed", () => {
  beforeEach(async () => {
    expect(await put(WHOLE)).toMatchObject({ status: 200, body: WHOLE });
  });

  it.each<[what: string, given: object]>([
    ["nothing", {}],
    ["the name", { name: "Brand, Inc." }],
    ["the carrier", { carrier: "sandbox" }],
    ["the sender", { sender: "12345" }],
    ["the help text", { helpText: "Call us" }],
    ["the window", { duplicateWindowHours: 1 }],
    ["the opt-out words", { optOutWords: ["alto"] }],
    ["the time zone", { timeZone: "America/Los_Angeles" }],
    ["the countries", { allowedCountries: ["DE"] }],
    ["the daily limit", { dailyLimit: 1 }],
    ["the fallback", { fallback: { carrier: "sandbox", sender: "+12125550000" } }],
    ["the cap", { frequencyCap: { count: 1, hours: 720 } }],
    ["the transactional purposes", { transactionalPurposes: ["receipt"] }],
    ["the sending hours", { sendingHours: { profile: "us-strict", whenClosed: "delay" } }],
    ["the origin of its links", { linkOrigin: "https://brand.example" }],
  ])("in %s keeps the rest", async (_, given) => {
    expect(await put(given)).toMatchObject({ status: 200, body: { ...WHOLE, ...given } });
    const shown = Object.entries((await (await world.operator("GET", "/websites/brand")).json()) as object);
    expect(Object.fromEntries(shown.filter(([name]) => name in WHOLE))).toEqual({ ...WHOLE, ...given });
  });

  it.each(["", null])("has what is optional taken away by %j", async (nothing) => {
    const given = {
      carrier: "sandbox",
      sender: nothing,
      helpText: nothing,
      duplicateWindowHours: nothing,
      optOutWords: nothing,
      timeZone: nothing,
      allowedCountries: nothing,
      linkOrigin: nothing,
      frequencyCap: nothing,
      fallback: nothing,
      dailyLimit: nothing,
      transactionalPurposes: nothing,
      sendingHours: nothing,
    };
    const none = {
      ...{ sender: null, helpText: null, duplicateWindowHours: null, optOutWords: null, timeZone: null },
      ...{
        allowedCountries: null,
        linkOrigin: null,
        frequencyCap: null,
        transactionalPurposes: null,
        sendingHours: null,
        fallback: null,
        dailyLimit: null,
      },
    };
    expect(await put(given)).toMatchObject({ status: 200, body: { ...WHOLE, carrier: "sandbox", ...none } });
  });

  it.each(["", null])("is not made a sandbox by the carrier %j, where a real one is set up", async (carrier) => {
    expect(await put({ carrier })).toMatchObject(
      wrong("carrier", /^must name a carrier that is set up: kannel, sandbox$/),
    );
  });

  it.each(["", null])("is not left without a name by %j", async (name) => {
    expect(await put({ name })).toMatchObject(wrong("name", "is required"));
  });

  it("has its sender held to the carrier that it keeps, and the carrier to the sender", async () => {
    expect(await put({ sender: "" })).toMatchObject(wrong("sender", "must be a number"));
    await put({ carrier: "sandbox", sender: "" });
    expect(await put({ carrier: "kannel" })).toMatchObject(wrong("sender", "must be a number"));
  });

  it("may have its name changed while its carrier is not set up", async () => {
    setUp({ sandbox });
    expect(await put({ name: "Brand, Inc." })).toMatchObject({ status: 200, body: { ...WHOLE, name: "Brand, Inc." } });
    expect(await put({ sender: "12345" })).toMatchObject(wrong("carrier", /^must be one of/));
  });

  it("by two at a time keeps what each has changed", async () => {
    await Promise.all([
      put({ name: "Brand, Inc." }),
      put({ sender: "12345" }),
      put({ helpText: "Call us" }),
      put({ duplicateWindowHours: 1 }),
    ]);
    expect(await (await world.operator("GET", "/websites/brand")).json()).toMatchObject({
      name: "Brand, Inc.",
      carrier: "kannel",
      sender: "12345",
      helpText: "Call us",
      duplicateWindowHours: 1,
    });
  });

  it.each([
    [{ allowedCountries: [] }, "allowedCountries"],
    [{ allowedCountries: ["US", "XX"] }, "allowedCountries"],
    [{ allowedCountries: "US" }, "allowedCountries"],
    [{ frequencyCap: { count: 0, hours: 24 } }, "frequencyCap"],
    [{ frequencyCap: { count: 3, hours: 721 } }, "frequencyCap"],
    [{ frequencyCap: { count: 3 } }, "frequencyCap"],
    [{ frequencyCap: 3 }, "frequencyCap"],
    [{ fallback: "kannel" }, "fallback"],
    [{ fallback: { carrier: "kannel" } }, "fallback"],
    [{ fallback: { carrier: "nobody", sender: "+12125550001" } }, "fallback"],
    [{ fallback: { carrier: "kannel", sender: "" } }, "fallback"],
    [{ fallback: { carrier: "kannel", sender: "+12125550000" } }, "fallback"],
    [{ sender: "+12125550001" }, "fallback"],
    [{ dailyLimit: 0 }, "dailyLimit"],
    [{ dailyLimit: 1.5 }, "dailyLimit"],
    [{ dailyLimit: "many" }, "dailyLimit"],
    [{ transactionalPurposes: [] }, "transactionalPurposes"],
    [{ transactionalPurposes: ["a/b"] }, "transactionalPurposes"],
    [{ sendingHours: "us-strict" }, "sendingHours"],
    [{ sendingHours: { profile: "us-strict" } }, "sendingHours"],
    [{ sendingHours: { profile: "us-lax", whenClosed: "delay" } }, "sendingHours"],
    [{ sendingHours: { profile: "us-strict", windows: [WINDOW], whenClosed: "delay" } }, "sendingHours"],
    [{ sendingHours: { profile: "custom", whenClosed: "delay" } }, "sendingHours"],
    [{ sendingHours: { profile: "custom", windows: [], whenClosed: "delay" } }, "sendingHours"],
    [{ sendingHours: custom({ days: [] }) }, "sendingHours"],
    [{ sendingHours: custom({ days: ["monday"] }) }, "sendingHours"],
    [{ sendingHours: custom({ from: "9:00" }) }, "sendingHours"],
    [{ sendingHours: custom({ from: "24:00" }) }, "sendingHours"],
    [{ sendingHours: custom({ until: "20:60" }) }, "sendingHours"],
    [{ sendingHours: custom({ until: "09:00" }) }, "sendingHours"],
    [{ linkOrigin: "http://go.example.com" }, "linkOrigin"],
    [{ linkOrigin: "https://go.example.com/l" }, "linkOrigin"],
    [{ linkOrigin: "https://me@go.example.com" }, "linkOrigin"],
    [{ linkOrigin: "go.example.com" }, "linkOrigin"],
  ])("is not given %j", async (given, field) => {
    const { status, body } = await put(given);
    expect([status, String((body as { details: { field: string }[] }).details[0]?.field).split(/[.[]/)[0]]).toEqual([
      400,
      field,
    ]);
    expect(await (await world.operator("GET", "/websites/brand")).json()).toMatchObject(WHOLE);
  });

  it("has its countries in capitals, each once, and its origin as a browser writes it", async () => {
    const given = { allowedCountries: ["us", "US", "ca"], linkOrigin: "https://GO.example.com/" };
    expect((await put(given)).body).toMatchObject({
      allowedCountries: ["US", "CA"],
      linkOrigin: "https://go.example.com",
    });
  });

  it.each(["Portland", "+01:00", "Factory", 7])("is not given the time zone %j", async (timeZone) => {
    expect(await put({ timeZone })).toMatchObject({ status: 400, body: { details: [{ field: "timeZone" }] } });
    expect(await (await world.operator("GET", "/websites/brand")).json()).toMatchObject(WHOLE);
  });

  it.each<[words: unknown, field: string, message: RegExp]>([
    [["BAJA", "Yes!"], "optOutWords[1]", /^"Yes!" is the keyword YES, which does not opt out$/],
    [["info"], "optOutWords[0]", /^"info" is the keyword INFO/],
    [["please"], "optOutWords[0]", /^"please" is a courtesy/],
    [["B."], "optOutWords[0]", /^"B\." has fewer than two letters or digits$/],
    [["B"], "optOutWords[0]", /^must have at least 2 characters$/],
    [["B".repeat(41)], "optOutWords[0]", /^must have at most 40 characters$/],
    [[7], "optOutWords[0]", /^must be a string$/],
    [[], "optOutWords", /^must have 1 to 20 words; null removes them$/],
    [Array.from({ length: 21 }, (_, index) => `word${index}`), "optOutWords", /^must have 1 to 20 words/],
    ["BAJA", "optOutWords", /^must be an array of words$/],
  ])("is refused %j as its opt-out words", async (optOutWords, field, message) => {
    const { status, body } = await put({ optOutWords });
    expect([status, body.code]).toEqual([400, 40001]);
    expect(body.details).toContainEqual({ field, message: expect.stringMatching(message) });
    expect(await (await world.operator("GET", "/websites/brand")).json()).toMatchObject(WHOLE);
  });

  it("has opt-out words of 2 to 40 characters, without the spaces around them", async () => {
    const optOutWords = ["no", "x".repeat(40), "СТОП", "退订"];
    expect(await put({ optOutWords: [" no\t", ...optOutWords.slice(1)] })).toMatchObject({ body: { optOutWords } });
  });

  it.each([
    ["name", "Brand \ud83d"],
    ["sender", "\ude00 Brand"],
    ["helpText", "Call \ud83d us"],
  ])("is refused half of a surrogate pair as its %s", async (field, value) => {
    expect(await put({ carrier: "sandbox", [field]: value })).toMatchObject(
      wrong(field, /^must be well-formed Unicode/),
    );
    expect(await put({ carrier: "sandbox", sender: "Brand \u{1f600}" })).toMatchObject({ status: 200 });
  });

  it("whose settings were stored as no well-formed text can be changed all the same", async () => {
    await put({ carrier: "sandbox", helpText: "a\u0000b" });
    await world.rows("UPDATE websites SET sender = CAST(x'eda080' AS TEXT)");
    expect(await put({ sender: "12345" })).toMatchObject({ status: 200, body: { sender: "12345" } });
  });

  it("by two at a time never has a sender that its carrier does not take", async () => {
    await put({ carrier: "sandbox" });
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([put({ sender: "" }), put({ carrier: "kannel" })]);
      const { carrier, sender } = (await (await world.operator("GET", "/websites/brand")).json()) as typeof WHOLE;
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      expect([carrier, sender === null]).not.toEqual(["kannel", true]);
      await put({ carrier: "sandbox", sender: WHOLE.sender });
    }
  });
});

describe("a new website", () => {
  it("names its carrier where a real one is set up", async () => {
    const answer = await put({ name: "Brand" });
    expect(answer).toMatchObject(wrong("carrier", /^must name a carrier that is set up: kannel, sandbox$/));
    expect((await world.operator("GET", "/websites/brand")).status).toBe(404);
    expect(await put({ name: "Brand", carrier: "sandbox" })).toMatchObject({ body: { carrier: "sandbox" } });
  });

  it.each([undefined, "", null])("with the carrier %j is a sandbox where none is set up", async (carrier) => {
    setUp({ sandbox });
    expect(await put({ name: "Brand", carrier })).toMatchObject({ status: 200, body: { carrier: "sandbox" } });
  });

  it("has a name, and every wrong field is told", async () => {
    const { body } = await put({ sender: 5, duplicateWindowHours: 1.5 });
    expect((body.details as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      "carrier",
      "duplicateWindowHours",
      "name",
      "sender",
    ]);
  });

  it("that two make at a time has what each has given", async () => {
    const both = await Promise.all([
      put({ name: "Brand", carrier: "sandbox", helpText: "Call us" }),
      put({ name: "Brand", carrier: "sandbox", sender: "12345" }),
    ]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await (await world.operator("GET", "/websites/brand")).json()).toMatchObject({
      helpText: "Call us",
      sender: "12345",
    });
  });
});

describe("the sandbox in use", () => {
  const problems = async (origin: string) => {
    const headers = { authorization: "Bearer operator-token-of-the-tests" };
    const { problems } = (await (await world.fetch("/operator/health", { headers }, origin)).json()) as {
      problems: string[];
    };
    return problems;
  };
  const PUBLIC = "https://textgate.example.workers.dev";

  const withOrigin = (PUBLIC_ORIGIN: string | undefined) => {
    const { config } = world.deps;
    world.deps = { ...world.deps, config: { ...config, carriers: { ...config.carriers, PUBLIC_ORIGIN } } };
  };

  it.each<[origin: string, PUBLIC_ORIGIN: string | undefined, isProblem: boolean]>([
    ["http://localhost", undefined, false],
    ["http://127.0.0.1:8787", undefined, false],
    [PUBLIC, undefined, true],
    ["http://localhost", PUBLIC, true],
    [PUBLIC, "http://127.0.0.1:8787", true],
  ])("asked at %s, with the public origin %s: a problem is %s", async (origin, PUBLIC_ORIGIN, isProblem) => {
    withOrigin(PUBLIC_ORIGIN);
    await put({ name: "Brand", carrier: "sandbox" });
    expect((await problems(origin)).includes("sandbox-in-use")).toBe(isProblem);
  });

  it("is no problem once no website has it", async () => {
    await put({ name: "Brand", carrier: "sandbox" });
    expect(await problems(PUBLIC)).toContain("sandbox-in-use");
    await put({ carrier: "kannel", sender: "12345" });
    expect(await problems(PUBLIC)).not.toContain("sandbox-in-use");
  });
});

describe("websites", () => {
  const json = async (answer: Response | Promise<Response>) => {
    const response = await answer;
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  const fields = ({ body }: { body: Record<string, unknown> }) =>
    (body.details as { field: string }[]).map(({ field }) => field).sort();

  beforeEach(async () => {
    world = await World.create();
  });

  it("are created, replaced, listed and read", async () => {
    const settings = { name: "Brand", sender: "+12125550000", helpText: "Write to us", duplicateWindowHours: 24 };
    const created = await json(world.operator("PUT", "/websites/brand", settings));
    expect(created).toMatchObject({ status: 200, body: { websiteId: "brand", carrier: "sandbox", ...settings } });
    world.advance(60);
    const replaced = await json(world.operator("PUT", "/websites/brand", { name: "New name" }));
    expect(replaced.body).toMatchObject({ ...settings, name: "New name" });
    expect(replaced.body.createdAt).toBe(created.body.createdAt);
    const list = await json(world.operator("GET", "/websites"));
    expect(list.body.websites).toMatchObject([{ websiteId: "brand", name: "New name" }]);
    const one = await json(world.operator("GET", "/websites/brand"));
    expect(one.body).toMatchObject({ websiteId: "brand", clients: [] });
  });

  it("are refused with every wrong field told", async () => {
    const wrong = { carrier: "pigeon", sender: 5, duplicateWindowHours: 1.5, helpText: "x".repeat(1601) };
    const answer = await json(world.operator("PUT", "/websites/brand", wrong));
    expect(answer.status).toBe(400);
    expect(fields(answer)).toEqual(["carrier", "duplicateWindowHours", "helpText", "name", "sender"]);
    expect(JSON.stringify(answer.body)).toContain("must be one of: sandbox");
  });

  it.each(["UPPER", "a_b", "x".repeat(41), "a.b", "%20"])("may not have the id %s", async (websiteId) => {
    const answer = await json(world.operator("PUT", `/websites/${websiteId}`, { name: "x" }));
    expect(answer.status).toBe(400);
    expect(fields(answer)).toEqual(["websiteId"]);
  });

  it("that are unknown are 40401, whatever is asked of them", async () => {
    for (const [method, path] of [
      ["GET", "/websites/nobody"],
      ["POST", "/websites/nobody/clients"],
      ["POST", "/websites/nobody/subscribers"],
    ] as const) {
      const answer = await json(world.operator(method, path, method === "POST" ? {} : undefined));
      expect(answer).toMatchObject({ status: 404, body: { code: 40401 } });
    }
  });
});
