import type { Flow } from "./flow.ts";
import type { Scene, Wish } from "./stage.ts";

const SHOP = "https://shop.example.com/sale";
const key = () => ({ "idempotency-key": crypto.randomUUID() });

/** What a client sends, one at a time. */
export const SINGLE_SENDS: Flow[] = [
  { name: "send to a subscriber", act: (scene) => scene.send() },
  {
    name: "send to a subscriber, with an Idempotency-Key",
    survivesAll: true,
    act: (scene) => scene.send({ headers: key() }),
  },
  {
    name: "send to a number never seen, with a callback",
    act: (scene) => scene.send({ wish: scene.wish(scene.stage.stranger(), "NOT_FOUND") }),
  },
  {
    name: "send to a number never seen, with an Idempotency-Key",
    onlyLong: true,
    survivesAll: true,
    act: (scene) => scene.send({ wish: scene.wish(scene.stage.stranger(), "NOT_FOUND"), headers: key() }),
  },
  {
    name: "send to somebody who has opted out",
    act: async (scene) => {
      await scene.send({ wish: scene.wish(scene.stage.optedOut(), "NOT_SUBSCRIBED") });
    },
  },
  { name: "send by e-mail address", act: (scene) => sendByEmail(scene) },
  {
    name: "send to an e-mail address without a number",
    onlyLong: true,
    act: (scene) =>
      scene.send({ wish: scene.wish(null, "FAILED_TO_MATCH"), fields: { phone: "", email: "nobody@example.com" } }),
  },
  { name: "send with a clickUrl", act: (scene) => scene.send({ fields: { clickUrl: SHOP } }) },
  {
    name: "send with a clickUrl and an Idempotency-Key",
    onlyLong: true,
    survivesAll: true,
    act: (scene) => scene.send({ fields: { clickUrl: SHOP }, headers: key() }),
  },
  {
    name: "send where duplicates are suppressed",
    act: (scene) => scene.in("careful").send(),
  },
  {
    name: "send a duplicate of what was sent",
    onlyLong: true,
    prepare: (scene) => scene.in("careful").send(),
    act: (scene) => sendAgain(scene, {}),
  },
  {
    name: "send a duplicate, with an Idempotency-Key",
    survivesAll: true,
    prepare: (scene) => scene.in("careful").send(),
    act: (scene) => sendAgain(scene, key()),
  },
];

function sendByEmail(scene: Scene): Promise<Wish> {
  const { phone, email } = scene.stage.person();
  return scene.send({ wish: scene.wish(phone), fields: { phone: "", email } });
}

async function sendAgain(scene: Scene, headers: Record<string, string>): Promise<void> {
  const [wish] = scene.wishes;
  if (wish) await scene.send({ wish, headers });
}

/** What a client sends in bulk: to subscribers, and to such as are none. */
export const BULK_SENDS: Flow[] = [
  { name: "bulk send", act: (scene) => sendBulk(scene, mixed(scene)) },
  {
    name: "bulk send with an Idempotency-Key",
    survivesAll: true,
    act: (scene) => sendBulk(scene, mixed(scene), key()),
  },
  {
    name: "bulk send with duplicates suppressed and an Idempotency-Key",
    survivesAll: true,
    act: (scene) => sendBulk(scene.in("careful"), twiceEach(scene), key()),
  },
  { name: "bulk send in two parts", act: (scene) => sendBulk(scene, long(scene)) },
  {
    name: "bulk send in two parts, with an Idempotency-Key",
    onlyLong: true,
    survivesAll: true,
    act: (scene) => sendBulk(scene, long(scene), key()),
  },
];

interface Item {
  wish: Wish | null;
  body: Record<string, unknown>;
}

function item(scene: Scene, wish = scene.wish(scene.stage.person().phone), fields = {}): Item {
  return { wish, body: scene.request(wish, fields) };
}

function mixed(scene: Scene): Item[] {
  const { phone, email } = scene.stage.person();
  return [
    item(scene),
    item(scene, scene.wish(scene.stage.stranger(), "NOT_FOUND")),
    { wish: null, body: { phone: "no number" } },
    item(scene, scene.wish(phone), { phone: "", email }),
    item(scene, undefined, { clickUrl: SHOP }),
  ];
}

function twiceEach(scene: Scene): Item[] {
  return [item(scene), item(scene)].flatMap((one) => [one, one]);
}

/** So long, with a field that the service ignores, that it stores each for itself. */
function long(scene: Scene): Item[] {
  const note = "x".repeat(300_000);
  return [item(scene, undefined, { note }), item(scene, undefined, { note })];
}

/** Repeats as docs/api.md says: with a key the same request, without one what was not told to be stored. */
async function sendBulk(scene: Scene, items: Item[], headers: Record<string, string> = {}): Promise<void> {
  const isKeyed = Object.keys(headers).length > 0;
  let left = items;
  const accept = ({ wish }: Item, messageId: string) => wish?.answered.add(messageId);
  const request = async () => {
    const asked = left;
    const body = { messages: asked.map(({ body }) => body) };
    const answer = await scene.world.post("/text/bulk/message/send", scene.client, body, headers);
    if (answer.status === 503) {
      const { details } = (await answer.clone().json()) as { details: { field: string; messageId: string }[] };
      for (const { field, messageId } of details) {
        accept(asked[Number(/\d+/.exec(field)?.[0])] as Item, messageId);
      }
      const told = new Set(details.map(({ field }) => Number(/\d+/.exec(field)?.[0])));
      if (!isKeyed) left = asked.filter((_, index) => !told.has(index));
    }
    return answer;
  };
  await scene.ask(request, async (answer) => {
    const { successSent, failedSent } = (await answer.json()) as {
      successSent: { index: number; messageId: string }[];
      failedSent: { index: number }[];
    };
    for (const { index, messageId } of successSent) accept(left[index] as Item, messageId);
    if (successSent.length + failedSent.length !== left.length) scene.faults.push("an item was not answered");
  });
}
