import type { Flow } from "./flow.ts";
import { confirmationOf } from "./outside.ts";
import { CAREFUL_SENDER, type Scene, SENDER, type WebsiteId } from "./stage.ts";

const HELP = "brand: Reply STOP to unsubscribe.";

/** The number of whoever texts in the scene. */
const numberIn = (scene: Scene) => String(scene.wishes[0]?.to);

function wishConfirmation(scene: Scene, phone = scene.stage.person().phone, websiteId: WebsiteId = "brand"): string {
  scene.wish(phone, "a text", confirmationOf(websiteId)).websiteId = websiteId;
  return phone;
}

/** The client of the website "careful" hears of each once, and at most once of one whose post was cut off. */
async function judgeNotices(scene: Scene, types: string[]): Promise<string[]> {
  const select = `SELECT message_id || '_' || event AS id, event AS type, attempted_at, outcome FROM events
    WHERE phone = ?1 AND body IS NOT NULL ORDER BY event`;
  const stored = await scene.world.rows(select, Number(numberIn(scene)));
  const told = stored.map(({ type }) => type);
  const postsOf = (id: unknown) => scene.stage.outside.posts.filter(({ eventId }) => eventId === id).length;
  return [
    ...(String(told) === String(types) ? [] : [`the notices are ${told}`]),
    ...stored.flatMap(({ id, attempted_at, outcome }) => {
      const posts = postsOf(id);
      return posts === 1 || (posts === 0 && attempted_at !== null && outcome === null)
        ? []
        : [`${id} was posted ${posts} times`];
    }),
  ];
}

async function optOut(scene: Scene): Promise<void> {
  await scene.text(wishConfirmation(scene), "STOP");
  await scene.stage.runQueues("messages");
}

/** The person who was erased in a scene, and gets no text. */
const erased = new WeakMap<Scene, string>();

/** Whether a client may unsubscribe and subscribe the number again: nothing of an erasure is left. */
async function comesBack(scene: Scene, phone: string): Promise<string[]> {
  const body = { phone_numbers: [phone], sendPurpose: "spring" };
  for (const path of ["/text/unsubscribe", "/text/subscribe"]) await scene.world.post(path, scene.client, body);
  return scene.judgeNumber(phone, { subscribed: 1, changes: 3 });
}

/** What a person texts, which the carrier brings again until it gets a 200. */
export const INBOUND: Flow[] = [
  {
    name: "STOP",
    survivesAll: true,
    act: (scene) => scene.text(wishConfirmation(scene), "STOP"),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 0, changes: 2, texts: 1 }),
  },
  {
    name: "STOP from a number never seen",
    onlyLong: true,
    act: (scene) => scene.text(wishConfirmation(scene, scene.stage.stranger()), "Stop."),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 0, changes: 1, texts: 1 }),
  },
  {
    name: "STOP while a message is queued",
    prepare: async (scene) => {
      const wish = scene.wish(scene.stage.person().phone, "a text or NOT_SUBSCRIBED");
      await scene.send({ wish });
    },
    act: (scene) => scene.text(wishConfirmation(scene, numberIn(scene)), "STOP"),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 0, changes: 2, texts: 1 }),
  },
  {
    name: "STOP to two websites, of which one confirms it",
    survivesAll: true,
    act: (scene) => scene.text(wishConfirmation(scene), "STOP", [SENDER, CAREFUL_SENDER]),
    judge: async (scene) => [
      ...(await scene.judgeNumber(numberIn(scene), { subscribed: 0, changes: 2, texts: 1 })),
      ...(await scene.judgeNumber(numberIn(scene), { subscribed: 0, changes: 2, texts: 1 }, "careful")),
      ...(await judgeNotices(scene, ["message.received", "subscription.changed"])),
    ],
  },
  {
    name: "STOP again",
    onlyLong: true,
    prepare: optOut,
    act: (scene) => scene.text(numberIn(scene), "stop"),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 0, changes: 2, texts: 2 }),
  },
  {
    name: "START",
    prepare: optOut,
    act: (scene) => scene.text(numberIn(scene), "START"),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 1, changes: 3, texts: 2 }),
  },
  {
    name: "START after an erasure",
    prepare: async (scene) => {
      const { phone } = scene.stage.person();
      erased.set(scene, phone);
      await scene.world.operator("DELETE", `/websites/brand/people/${phone}`);
    },
    act: (scene) => scene.text(String(erased.get(scene)), "START"),
    judge: async (scene) => [
      ...(await scene.judgeNumber(String(erased.get(scene)), { subscribed: 1, changes: 1, texts: 1 })),
      ...(await comesBack(scene, String(erased.get(scene)))),
    ],
  },
  {
    name: "STOP in the form of a gateway, to a sender that the website has no more",
    onlyLong: true,
    prepare: (scene) => scene.sendAndDeliver(),
    act: (scene) => scene.text(wishConfirmation(scene, numberIn(scene)).replace("+1", ""), "STOP", ["+12125550042"]),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 0, changes: 2, texts: 1 }),
  },
  {
    name: "HELP",
    act: (scene) => scene.text(String(scene.wish(scene.stage.person().phone, "a text", HELP).to), "HELP"),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 1, changes: 1, texts: 1 }),
  },
  {
    name: "any other text",
    onlyLong: true,
    prepare: (scene) => scene.sendAndDeliver(),
    act: (scene) => scene.text(numberIn(scene), "thanks"),
    judge: (scene) => scene.judgeNumber(numberIn(scene), { subscribed: 1, changes: 1, texts: 1 }),
  },
];
