import { Injector } from "./injector.ts";
import type { Scene, Wish } from "./stage.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What the sweep finds, each once: what was lost, cut off, not taken, not reported, and what is to be purged. */
export async function leaveBehind(scene: Scene): Promise<void> {
  const { world, stage } = scene;
  await leaveOld(scene);
  world.advance(30 * DAY - DAY);
  await scene.sendAndDeliver();
  await stage.runQueues("callbacks");
  world.advance(DAY - 4 * HOUR);
  await leaveUntaken(scene);
  world.advance(4 * HOUR - 17 * MINUTE);
  await leaveCutOff(scene);
  world.advance(16 * MINUTE - 1);
  await scene.sendAll([wishFor(scene), scene.wish(stage.stranger(), "NOT_FOUND")]);
  stage.queues.entries = [];
  await leaveUncopied(scene);
  world.advance(MINUTE + 1);
}

const wishFor = (scene: Scene, becomes?: Wish["becomes"]) => scene.wish(scene.stage.person().phone, becomes);

/** A message and an inbound text of which nothing is to be kept after 30 days, and a key that has expired. */
async function leaveOld(scene: Scene): Promise<void> {
  const wish = wishFor(scene, "nothing kept");
  const headers = { "idempotency-key": crypto.randomUUID() };
  await scene.sendAndDeliver({ wish, fields: { clickUrl: "https://shop.example.com/" }, headers });
  await scene.text(String(wish.to), "thanks");
  await scene.receipts([...wish.answered].map((messageId) => ({ messageId })));
  await scene.stage.runQueues("callbacks");
}

/** A message that its carrier could not take. */
async function leaveUntaken(scene: Scene): Promise<void> {
  const wish = wishFor(scene, "FAILED_TO_SEND");
  const { queues, outside } = scene.stage;
  outside.behaviours.set(String(wish.to), () => ({ kind: "later", reason: "busy" }));
  await scene.sendAndDeliver({ wish });
  queues.entries = [];
}

/** A message whose run ended between the submission and its outcome. */
async function leaveCutOff(scene: Scene): Promise<void> {
  await scene.send();
  const injector = new Injector({ nth: 2, when: "before", lasts: "on every binding" });
  scene.world.deps = injector.wrap(scene.stage.deps);
  await scene.stage.runQueues("messages");
  scene.world.deps = scene.stage.deps;
}

/** A client whose suspension has reached neither the website's object nor KV. */
async function leaveUncopied(scene: Scene): Promise<void> {
  const { world, stage } = scene;
  const client = await world.client("careful");
  world.deps = new Injector({ nth: 4, when: "before", lasts: "on every binding" }).wrap(stage.deps);
  const answer = await world.operator("PATCH", `/clients/${client.clientId}`, { suspended: true });
  world.deps = stage.deps;
  const text = await answer.text();
  if (!text.includes('"within-minutes"')) scene.faults.push(`the client was to be left uncopied, and is told ${text}`);
  scene.suspended = client;
}

/** @returns what the sweep has not set right */
export async function judgeSwept(scene: Scene): Promise<string[]> {
  const { world, suspended } = scene;
  const gone = scene.wishes.filter(({ becomes }) => becomes === "nothing kept");
  const faults: string[] = [];
  for (const { to, answered } of gone) {
    const texts = await scene.judgeNumber(String(to), { subscribed: 1, changes: 1, texts: 0 });
    const [rows] = await world.rows(
      `SELECT (SELECT count(*) FROM events WHERE message_id = ?1) + (SELECT count(*) FROM links WHERE message_id = ?1) AS left`,
      [...answered][0],
    );
    faults.push(...texts, ...(rows?.left === 0 ? [] : [`${rows?.left} rows of a purged message are left`]));
  }
  const headers = { "x-client-id": String(suspended?.clientId), "x-client-secret": String(suspended?.clientSecret) };
  const { status } = await world.fetch(`/text/message/status?messageId=${crypto.randomUUID()}`, { headers });
  return status === 403 ? faults : [...faults, `a suspended client is answered ${status}`];
}
