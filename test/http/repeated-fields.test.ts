/** A field that stands twice in a body: whichever is meant, the other one is lost. Nothing is done, and the error names the field. */
import { beforeEach, expect, it } from "vitest";
import { type TestClient, World } from "../world.ts";

const ADA = "+12125550100";
const BOB = "+12125550101";
const SEND = `"text":"Hi","callbackData":"","sendPurpose":"a"`;

let world: World;
let client: TestClient;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([ADA, BOB]);
});

const ask = async (path: string, body: string) => {
  const headers = {
    "content-type": "application/json",
    "x-client-id": client.clientId,
    "x-client-secret": client.clientSecret,
  };
  const answer = await world.fetch(path, { method: "POST", headers, body });
  return { status: answer.status, body: (await answer.json()) as { code: number; details: object[] } };
};

it.each([
  ["/text/unsubscribe", `{"phone_numbers":["${ADA}"],"phone_numbers":["${BOB}"]}`, "phone_numbers"],
  ["/text/subscribe", `{"phone_numbers":["${ADA}"],"sendPurpose":"a","sendPurpose":"b"}`, "sendPurpose"],
  ["/text/message/send", `{"phone":"${ADA}","\\u0070hone":"${BOB}",${SEND}}`, "phone"],
  ["/text/message/send", `{"phone":"${ADA}",${SEND},"note":{"a":1,"a":2}}`, "note.a"],
  ["/text/message/statuses", `{"messageIds":[],"messageIds":[]}`, "messageIds"],
  ["/text/bulk/message/send", `{"messages":[{"phone":"${ADA}",${SEND},"phone":"${BOB}"}]}`, "messages[0].phone"],
  ["/text/bulk/message/send", `{"a":1,"a":1,"messages":[{"phone":"${ADA}",${SEND}}]}`, "a"],
])("%s refuses %s", async (path, body, field) => {
  const details = [{ field, message: "must stand once: the body has it twice" }];
  expect(await ask(path, body)).toMatchObject({ status: 400, body: { code: 40001, details } });
  expect(await world.rows("SELECT count(*) AS n FROM messages")).toEqual([{ n: 0 }]);
  expect(await world.rows("SELECT sum(subscribed) AS n FROM subscriptions")).toEqual([{ n: 2 }]);
});

it("an operator's call refuses it as well, also within a setting", async () => {
  const put = (body: string) => world.operator("PUT", "/websites/brand", body, "application/json");
  const cap = `{"name":"B","frequencyCap":{"count":1,"hours":24,"count":2}}`;
  expect(await (await put(cap)).json()).toMatchObject({ code: 40001, details: [{ field: "frequencyCap.count" }] });
});
