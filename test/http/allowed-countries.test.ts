/** A website sends to the countries that its operator allows, and its links have its own origin. */
import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { beforeEach, describe, expect, it } from "vitest";
import { countryOf } from "../../src/domain/people/places.ts";
import { receiveInbound } from "../../src/flows/people/receive-inbound.ts";
import { SEND, type TestClient, World } from "../world.ts";

const NEW_YORK = "+12125550100";
const TORONTO = "+14165550100";
const BERLIN = "+4915112345678";
const JAMAICA = "+18765550100";

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([NEW_YORK, `${TORONTO},to@example.com`, `${BERLIN},berlin@example.com`, JAMAICA]);
  await world.website("brand", { allowedCountries: ["US", "CA"] });
});

async function send(fields: Record<string, unknown>) {
  const answer = await world.post("/text/message/send", client, { ...SEND, phone: "", ...fields });
  const { details } = await answer.json<{ details?: { field: string; message: string }[] }>();
  return [answer.status, ...(details ?? []).map(({ field, message }) => `${field}: ${message}`)];
}

const ONLY = "this website sends to US, CA only, as its operator has set";

describe("a send request", () => {
  it.each([
    [{ phone: NEW_YORK }, [200]],
    [{ phone: TORONTO }, [200]],
    [{ phone: "+16215550100" }, [200]],
    [{ phone: JAMAICA }, [400, `phone: is a number of JM: ${ONLY}`]],
    [{ phone: BERLIN }, [400, `phone: is a number of DE: ${ONLY}`]],
    [{ phone: "+881612345678" }, [400, `phone: is a number of no country: ${ONLY}`]],
    [{ email: "to@example.com" }, [200]],
    [{ email: "nobody@example.com" }, [200]],
    [{ email: "Berlin@example.com" }, [400, `email: has a number of DE: ${ONLY}`]],
  ])("%j is answered %j", async (fields, expected) => {
    expect(await send(fields)).toEqual(expected);
    const isStored = expected[0] === 200;
    expect(await world.rows("SELECT 1 FROM messages")).toHaveLength(isStored ? 1 : 0);
  });

  it("has the other faults of its body first", async () => {
    expect(await send({ phone: BERLIN, text: "" })).toEqual([
      400,
      "text: must not be empty, or only white space and invisible characters",
    ]);
  });

  it("goes everywhere once the setting is removed", async () => {
    await world.website("brand", { allowedCountries: null });
    expect(await send({ phone: BERLIN })).toEqual([200]);
  });
});

it("of a bulk request, each message stands for itself", async () => {
  const messages = [
    { phone: NEW_YORK },
    { phone: BERLIN },
    { email: "berlin@example.com" },
    { email: "to@example.com" },
  ];
  const body = { messages: messages.map((fields) => ({ ...SEND, phone: "", ...fields })) };
  const answer = await (await world.post("/text/bulk/message/send", client, body)).json<{
    successSent: { index: number }[];
    failedSent: { index: number; errorMessage: string }[];
  }>();
  expect(answer.successSent.map(({ index }) => index)).toEqual([0, 3]);
  expect(answer.failedSent.map(({ index, errorMessage }) => [index, errorMessage])).toEqual([
    [1, `phone: is a number of DE: ${ONLY}`],
    [2, `email: has a number of DE: ${ONLY}`],
  ]);
});

it("a reply to a keyword goes to every country", async () => {
  await world.website("brand", { sender: "+12125550000", helpText: "Write to us" });
  const about = { from: BERLIN, to: ["+12125550000"], keyword: null, answeredByCarrier: false };
  await world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", { ...about, text: "HELP", carrierMessageId: "in-1" }),
  );
  await world.runQueues();
  expect(await world.rows("SELECT phone, status FROM messages WHERE text = 'Write to us'")).toMatchObject([
    { phone: Number(BERLIN.slice(1)) },
  ]);
});

it("a link has the origin of the website, and is measured with it", async () => {
  await world.website("brand", { linkOrigin: "https://go.brand.example" });
  const messageId = await world.send(client, { phone: NEW_YORK, clickUrl: "https://example.com/sale" });
  const [row] = await world.rows("SELECT text FROM messages WHERE message_id = ?1", messageId);
  expect(row?.text).toMatch(/https:\/\/go\.brand\.example\/l\/\w+$/);
});

it("the country is the one that the library finds with all of its data", () => {
  const areas = [
    "201",
    "204",
    "242",
    "246",
    "264",
    "340",
    "403",
    "441",
    "473",
    "600",
    "649",
    "670",
    "671",
    "684",
    "758",
    "767",
  ];
  const numbers = [
    ...areas.map((area) => `+1${area}5550100`),
    ...[
      "+447911123456",
      "+447781123456",
      "+447624123456",
      "+77011234567",
      "+79161234567",
      "+61412345678",
      "+262692123456",
    ],
    ...["+590690001234", "+4915112345678", "+5511961234567", "+919812345678", "+8613123456789", "+212650123456"],
  ];
  const expected = numbers.map((number) => [number, parsePhoneNumberFromString(number)?.country]);
  expect(numbers.map((number) => [number, countryOf(Number(number.slice(1)))])).toEqual(expected);
});
