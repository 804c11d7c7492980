/** A change of an operator takes effect, and its answer is lost. Whatever operators do before its next try holds. */
import { beforeEach, expect, it } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { newToken, OF_THE_CONSOLE, postSession } from "../../console.ts";
import { losingAnswer } from "../../late-tries.ts";
import { World } from "../../world.ts";

const ADA = "+12125550100";
const OURS = "+12125550000";

let world: World;

beforeEach(async () => {
  world = await World.create();
  await world.brand([`${ADA},old@example.com`]);
  await world.website("brand", { sender: OURS });
  await world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ from: ADA, to: [OURS], keyword: null, answeredByCarrier: false },
      ...{ text: "would you please stop this", carrierMessageId: "in-1" },
    }),
  );
});

async function ask(method: string, path: string, body?: object): Promise<void> {
  const answer = await world.operator(method, path, body);
  expect([path, answer.status < 300 ? "done" : await answer.text()]).toEqual([path, "done"]);
  world.advance(1);
}

const create = (graceSeconds?: number) => () => ask("POST", "/tokens", { name: "ada", graceSeconds });
const end = (which: string) => () => ask("DELETE", `/tokens/ada?which=${which}`);
const decide = (optOut: boolean | null) => () =>
  ask("POST", "/inbound/decide", { websiteId: "brand", carrier: "sandbox", carrierMessageId: "in-1", optOut });
const hold = (what: "hold" | "release") => () => ask("POST", `/websites/brand/${what}`, {});
const subscribe = (email: string) => () => world.subscribers("brand", [`${ADA},${email},true`]);

async function signIn(): Promise<void> {
  const answer = await postSession(world, bearer);
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  session = { cookie };
}
let bearer = "";
let session = { cookie: "" };
const signOut = () => world.fetch("/console/session", { method: "DELETE", headers: { ...session, ...OF_THE_CONSOLE } });
async function endSession(): Promise<void> {
  const [row] = await world.rows("SELECT session_id FROM operator_sessions");
  await ask("DELETE", `/sessions/${row?.session_id}`);
}
const makeBearer = async () => {
  bearer = await newToken(world, "bob");
};

type Work = () => Promise<unknown>;

const tables = async () => ({
  tokens: await world.rows("SELECT * FROM operator_tokens"),
  sessions: await world.rows("SELECT * FROM operator_sessions"),
  websites: await world.rows("SELECT holds FROM websites"),
  subscriptions: await world.rows("SELECT * FROM subscriptions"),
  changes: await world.rows("SELECT * FROM subscription_changes"),
  texts: await world.rows("SELECT * FROM inbound_texts"),
  audit: await world.rows("SELECT * FROM audit_log"),
});

it.each<[string, Work[], Work, Work[]]>([
  ["a token stays ended", [], create(), [end("all")]],
  ["the token that came next has no end", [create()], create(60), [end("old"), create()]],
  ["a token that came after the end of all opens", [create()], end("all"), [create()]],
  ["the old of two tokens opens that came after the end of one", [create(), create()], end("new"), [create()]],
  ["a session stays ended", [makeBearer], signIn, [endSession]],
  ["a session stays signed out", [makeBearer], signIn, [signOut]],
  ["a website stays released", [], hold("hold"), [hold("release")]],
  ["a decision stays taken back", [], decide(true), [decide(null)]],
  ["a decision that is made again stays", [decide(true)], decide(null), [decide(true)]],
  [
    "an address stays that came after the last was removed",
    [],
    () => ask("DELETE", `/websites/brand/people/${ADA}/email`),
    [subscribe("new@example.com")],
  ],
])("%s", async (_, before, lost, since) => {
  for (const work of before) await work();
  let then: unknown;
  const between = async () => {
    for (const work of since) await work();
    then = await tables();
  };
  await losingAnswer(world, lost, between, "INTO audit_log");
  expect(await tables()).toEqual(then);
});
