/** Whoever is signed in sees no number and no address of a person, and a viewer no text: in no answer of any call. */

import { beforeEach, describe, expect, it } from "vitest";
import { CALLS } from "../../src/calls.ts";
import { keepDeadJobs } from "../../src/flows/operations/dead-jobs.ts";
import type { MessageAnswers } from "../../src/operator/answers/messages.ts";
import type { PeopleAnswers, PersonIdAnswers } from "../../src/operator/answers/people.ts";
import { newToken, OF_THE_CONSOLE, signIn } from "../console.ts";
import { OPERATOR_TOKEN, type TestClient, World } from "../world.ts";

const ADA = "+12065550142";
const BEN = "+491701234567";
const EMAILS = ["ada.lovelace@example.com", "ben@example.org"];
const SENT = "Brand: the Ada-only text";
const EVIDENCE = `Ada-only call of ${ADA.slice(1)}, ${EMAILS[0]}`;
const WRITTEN = "Stop it, please, says Ada";
/** A key of the client's in its callback URL. */
const KEY = "hook-key-4711";

let world: World;
let client: TestClient;
let messageId: string;

beforeEach(async () => {
  world = await World.create();
  client = await world.brand([`${ADA},${EMAILS[0]}`, `${BEN},${EMAILS[1]}`]);
  const callbackData = JSON.stringify({ phone: ADA, bare: ADA.slice(1), email: EMAILS[0] });
  const query = `to=${encodeURIComponent(ADA)}&bare=${ADA.slice(1)}&m=${encodeURIComponent(EMAILS[0] ?? "")}`;
  const clickUrl = `https://shop.example.com/?${query}`;
  messageId = await world.send(client, { phone: ADA, text: SENT, callbackData, clickUrl, mediaUrl: clickUrl });
  await world.send(client, { phone: "", email: "nobody@example.net", text: SENT });
  await world.send(client, { phone: BEN, text: SENT });
  for (const [place, sender, websiteId] of [
    ["1", ADA, "brand"],
    ["2", ADA, ""],
    ["3", BEN, "brand"],
  ]) {
    await world.rows(
      `INSERT INTO inbound_texts (website_id, sender, recipient, text, keyword, maybe_opt_out, carrier, carrier_message_id, received_at)
       VALUES (?1, ?2, '+12125550199', ?3, ?4, 1, 'sandbox', ?5, ?6)`,
      ...[websiteId, sender, WRITTEN, websiteId === "" ? "stop" : null, place, world.now],
    );
  }
  await world.rows(
    `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof, evidence)
     VALUES ('brand', ?1, 1, 0, ?2, 'keyword', ?3, ?4)`,
    ...[Number(ADA.slice(1)), world.now, WRITTEN, EVIDENCE],
  );
  // An endpoint that refuses an event may quote it, and a carrier names whom it did not reach.
  await world.rows(
    "UPDATE events SET due_at = NULL, attempted_at = ?1, outcome = 'answered', http_status = 422, response = ?2",
    ...[world.now, `no place for ${SENT}, ${WRITTEN} of ${ADA.slice(1)}`],
  );
  await world.rows("UPDATE messages SET reason = ?1", `kannel: undelivered: no route to ${ADA.slice(1)}`);
  const reason = `asked by ${ADA}, ${ADA.slice(1)}, ${EMAILS[0]}`;
  await world.operator("POST", "/websites/brand/hold", { sendPurpose: "x", reason });
  await world.rows("UPDATE clients SET callback_url = ?1", `https://brand.example.com/${KEY}?k=${KEY}`);
  const job = { id: "dead-1", timestamp: new Date(world.now), attempts: 1, body: { kind: "deliver", phone: ADA } };
  await keepDeadJobs(world.deps, "textgate-messages-dead", [job] as unknown as Parameters<typeof keepDeadJobs>[2]);
});

const asked = async (headers: Record<string, string>, path: string, method = "GET", body?: unknown) => {
  const answer = await world.fetch(path, {
    method,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, text: await answer.text() };
};

/** Every GET of the operator, with all that can be asked for it here. */
const paths = (phone: string) => {
  const values: Record<string, string> = { websiteId: "brand", clientId: client.clientId, messageId, phone };
  return CALLS.filter(({ access, method, reveals }) => access === "operator" && method === "GET" && !reveals).map(
    (call) => {
      const filled = call.path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "nobody");
      return { id: call.id, path: call.id === "findMessages" ? `${filled}?website=brand` : filled };
    },
  );
};

/** What of an answer tells who somebody is. */
function namesIn(text: string, others: string[]): string[] {
  const numbers = [ADA, BEN].map((phone) => phone.slice(1));
  return [...numbers, ...EMAILS, "ada.lovelace", "nobody@", ...others].filter((it) => text.includes(it));
}

describe.each(["viewer", "operator"] as const)("a session of a %s", (role) => {
  it("is answered by each call without a number, an address, and for a viewer a text", async () => {
    const browser = await signIn(world, "ada", role);
    const own = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const revealing: string[] = [];
    for (const { id, path } of paths(ADA)) {
      const bare = await asked(own, path);
      const texts = [SENT, WRITTEN, "Ada-only call", KEY];
      if (namesIn(bare.text, texts).length > 0) revealing.push(id);
      const { status, text } = await asked(browser, path);
      expect([id, status, namesIn(text, role === "viewer" ? texts : [])]).toEqual([id, bare.status, []]);
    }
    // The test has something to find.
    expect(revealing).toEqual(
      expect.arrayContaining([
        "listAudit",
        "listInbound",
        "listWithoutEffect",
        "findPerson",
        "getPerson",
        "findMessages",
        "getMessage",
        "getClient",
        "getWebsite",
      ]),
    );
  });
});

it("an operator's session reads texts, and beside each masked number what stands for it", async () => {
  const browser = await signIn(world, "ada");
  const found = JSON.parse(
    (await asked(browser, "/operator/messages?website=brand")).text,
  ) as MessageAnswers["FoundMessages"];
  const lines = found.messages.map(({ phone, email, personId, text }) => [
    ...[phone, email, typeof personId],
    text.slice(0, SENT.length),
  ]);
  expect(lines.sort()).toEqual(
    [
      [null, "n•••@example.net", "undefined", SENT],
      ["+1206•••••42", null, "string", SENT],
      ["+49••••••••67", null, "string", SENT],
    ].sort(),
  );
  const personId = found.messages.find(({ phone }) => phone?.startsWith("+1206"))?.personId ?? "";
  const person = JSON.parse(
    (await asked(browser, `/operator/people/${personId}`)).text,
  ) as PeopleAnswers["PersonEverywhere"];
  expect(person).toMatchObject({
    phone: "+1206•••••42",
    personId,
    websites: [{ email: "a•••@example.com", personId }, {}],
  });
  expect(person.websites[0]?.texts[0]).toMatchObject({
    from: "+1206•••••42",
    personId,
    to: "+12125550199",
    text: WRITTEN,
  });
  expect(person.websites[0]?.changes.map(({ proof }) => proof)).toContain(WRITTEN);
  const ofPerson = JSON.parse((await asked(browser, `/operator/messages?person=${personId}`)).text) as typeof found;
  expect(ofPerson.messages.map(({ messageId }) => messageId)).toEqual([messageId]);
  const atWebsite = await asked(browser, `/operator/websites/brand/people/${personId}`);
  expect([atWebsite.status, JSON.parse(atWebsite.text)]).toMatchObject([200, { personId }]);
});

it("a viewer's bearer token is answered as a viewer's session is", async () => {
  const headers = { authorization: `Bearer ${await newToken(world, "vera", "viewer")}` };
  const { text } = await asked(headers, `/operator/messages/${messageId}`);
  expect(namesIn(text, [SENT])).toEqual([]);
  expect(JSON.parse(text)).toMatchObject({ phone: "+1206•••••42", text: "•••••", callbackData: "•••••" });
});

it("an operator's bearer token is answered everything, without an id", async () => {
  const { text } = await asked({ authorization: `Bearer ${OPERATOR_TOKEN}` }, `/operator/people/${ADA}`);
  for (const whole of [ADA, EMAILS[0], SENT, WRITTEN]) expect(text).toContain(whole);
  expect(text).not.toContain("personId");
});

it("settings stay as they are: who edits a website puts back what was read", async () => {
  const helpText = "Brand: call +1 212 555 0199, or write to help@brand.example.com.";
  await world.operator("PUT", "/websites/brand", { helpText, sender: "+12125550199" });
  const { text } = await asked(await signIn(world, "vera", "viewer"), "/operator/websites/brand");
  expect(JSON.parse(text)).toMatchObject({ helpText, sender: "+12125550199" });
});

it("an export shows a person in full to an operator, is audited, and is refused to a viewer", async () => {
  const audits = () => world.rows("SELECT operator, subject, website_id FROM audit_log WHERE action = 'reveal'");
  const browser = await signIn(world, "ada");
  expect((await asked({ authorization: `Bearer ${OPERATOR_TOKEN}` }, `/operator/people/${ADA}/export`)).status).toBe(
    200,
  );
  expect(await audits()).toEqual([{ operator: "OPERATOR_TOKEN", subject: "+…42", website_id: null }]);
  const { text } = await asked(browser, `/operator/websites/brand/people/${ADA}/export`);
  expect(text).toContain(ADA);
  expect((await audits())[1]).toEqual({ operator: "ada", subject: "+…42", website_id: "brand" });
  const refused = await asked(await signIn(world, "vera", "viewer"), `/operator/people/${ADA}/export`);
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([403, { code: 40304 }]);
});

it("a report as CSV is a viewer's too: it names nobody", async () => {
  const browser = await signIn(world, "vera", "viewer");
  expect((await asked(browser, "/operator/report?format=csv")).status).toBe(200);
  expect((await asked(browser, "/operator/metrics")).status).toBe(200);
});

it("what a changing call answers is masked as well", async () => {
  const browser = { ...(await signIn(world, "ada")), ...OF_THE_CONSOLE };
  const found = await asked(browser, "/operator/people/find", "POST", { phone: ADA });
  const { personId } = JSON.parse(found.text) as PersonIdAnswers["FoundPerson"];
  const removed = await asked(browser, `/operator/websites/brand/people/${personId}/email`, "DELETE");
  expect(JSON.parse(removed.text)).toEqual({ phone: "+1206•••••42", email: null, personId });
});
