import type { Flow } from "./flow.ts";
import type { Scene } from "./stage.ts";

const PERSON =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1";

/** The numbers that a scene is about, who have no text to come. */
const numbers = new WeakMap<Scene, string[]>();

function choose(scene: Scene, ...phones: string[]): string[] {
  numbers.set(scene, phones);
  return phones;
}

const judgeNumbers = (expected: { subscribed: number; changes?: number }[]) => async (scene: Scene) => {
  const faults = await Promise.all(
    (numbers.get(scene) ?? []).map(async (phone, index) => scene.judgeNumber(phone, expected[index] ?? {})),
  );
  return faults.flat();
};

const postList = (scene: Scene, path: string, body: object) =>
  scene.ask(
    () => scene.world.post(path, scene.client, body),
    () => {},
  );

/** What changes subscriptions, each of them once, and once in the ledger. */
export const SUBSCRIPTIONS: Flow[] = [
  {
    name: "subscribe a new number, one that was opted out, and one that is subscribed",
    act: (scene) => {
      const phones = choose(scene, scene.stage.stranger(), scene.stage.optedOut(), scene.stage.person().phone);
      return postList(scene, "/text/subscribe", { phone_numbers: phones, sendPurpose: "spring" });
    },
    judge: judgeNumbers([
      { subscribed: 1, changes: 1 },
      { subscribed: 1, changes: 2 },
      // What changes nothing is no row of the ledger.
      { subscribed: 1, changes: 1 },
    ]),
  },
  {
    name: "unsubscribe a subscriber, and a number never seen",
    act: (scene) => {
      const phones = choose(scene, scene.stage.person().phone, scene.stage.stranger());
      return postList(scene, "/text/unsubscribe", { phone_numbers: phones });
    },
    judge: judgeNumbers([
      { subscribed: 0, changes: 2 },
      { subscribed: 0, changes: 1 },
    ]),
  },
  {
    name: "import a new number, and one to opt out",
    act: (scene) => {
      const [fresh, leaving] = choose(scene, scene.stage.stranger(), scene.stage.person().phone);
      return scene.ask(
        () => scene.world.subscribers("brand", [`${fresh},,true`, `${leaving},,false`]),
        async (answer) => {
          const { imported } = (await answer.json()) as { imported: number };
          if (imported !== 2) scene.faults.push(`${imported} imported in place of 2`);
        },
      );
    },
    judge: async (scene) => [
      ...(await judgeNumbers([{ subscribed: 1, changes: 1 }, { subscribed: 0 }])(scene)),
      ...(await judgeLeaving(scene)),
    ],
  },
];

/** Opted out once. A file that is asked for again is another import: it notes that it found the number opted out, once. */
async function judgeLeaving(scene: Scene): Promise<string[]> {
  const [, leaving = ""] = numbers.get(scene) ?? [];
  const rows = await scene.world.rows(
    "SELECT was_subscribed, subscribed, proof FROM subscription_changes WHERE website_id = 'brand' AND phone = ?1",
    Number(leaving.slice(1)),
  );
  const changes = rows.filter((row) => row.was_subscribed !== row.subscribed).length;
  const isOnceEach = new Set(rows.map(({ proof }) => proof)).size === rows.length;
  return changes === 2 && isOnceEach ? [] : [`${leaving}: ${changes} changes in place of 2, in ${rows.length} rows`];
}

/** A click, and what is asked of the service. */
export const CLICKS_AND_QUESTIONS: Flow[] = [
  {
    name: "a person clicks a link",
    prepare: (scene) => scene.sendAndDeliver({ fields: { clickUrl: "https://shop.example.com/sale" } }),
    act: (scene) => {
      const [wish] = scene.wishes;
      const text = scene.stage.outside.submitted.find(({ to }) => to === wish?.to)?.text ?? "";
      const path = /\/l\/\w+/.exec(text)?.[0] ?? "";
      return scene.ask(
        () => scene.world.fetch(path, { headers: { "user-agent": PERSON } }),
        () => {},
      );
    },
    judge: async (scene) => {
      const [id] = [...(scene.wishes[0]?.answered ?? [])];
      const clicks = await scene.world.rows("SELECT * FROM clicks WHERE message_id = ?1 AND is_person = 1", id);
      // After the answer nobody repeats what the store does not take, be it for long.
      const least = scene.fault?.lasts === "on its binding" ? 0 : 1;
      return clicks.length >= least && clicks.length <= 1 ? [] : [`${clicks.length} clicks counted in place of 1`];
    },
  },
  ...["/text/message/status", "/text/subscription/status"].map((path) => ({
    name: `ask ${path}`,
    onlyLong: true,
    prepare: (scene: Scene) => scene.sendAndDeliver(),
    act: (scene: Scene) => {
      const [wish] = scene.wishes;
      const { clientId, clientSecret } = scene.client;
      const headers = { "x-client-id": clientId, "x-client-secret": clientSecret };
      const url = `${path}?messageId=${[...(wish?.answered ?? [])]}`;
      return scene.ask(
        () =>
          path.startsWith("/text/message")
            ? scene.world.fetch(url, { headers })
            : scene.world.post(path, scene.client, { phone_numbers: [wish?.to] }),
        async (answer) => {
          if (!/SENDING|true/.test(await answer.text())) scene.faults.push("answered something else");
        },
      );
    },
  })),
  ...["/websites", "/websites/brand", "/websites/brand/inbound", "/websites/brand/report"].map((path) => ({
    name: `the operator asks ${path}`,
    onlyLong: true,
    act: (scene: Scene) =>
      scene.ask(
        () => scene.world.operator("GET", path),
        () => {},
      ),
  })),
  {
    name: "the operator asks for a message, and for a person",
    onlyLong: true,
    prepare: (scene) => scene.sendAndDeliver(),
    act: async (scene) => {
      const [wish] = scene.wishes;
      for (const path of [`/messages/${[...(wish?.answered ?? [])]}`, `/websites/brand/people/${wish?.to}`]) {
        await scene.ask(
          () => scene.world.operator("GET", path),
          () => {},
        );
      }
    },
  },
  {
    name: "the operator erases a person",
    prepare: async (scene) => {
      const wish = scene.wish(scene.stage.person().phone, "nothing kept");
      await scene.sendAndDeliver({ wish, fields: { clickUrl: "https://shop.example.com/" } });
      await scene.text(String(wish.to), "thanks");
      await scene.stage.runQueues("callbacks");
    },
    act: (scene) =>
      scene.ask(
        () => scene.world.operator("DELETE", `/websites/brand/people/${scene.wishes[0]?.to}`),
        () => {},
      ),
    judge: judgeErased,
  },
];

/** Nothing is left of the number, and an import does not bring it back. */
async function judgeErased(scene: Scene): Promise<string[]> {
  const [wish] = scene.wishes;
  const [id] = [...(wish?.answered ?? [])];
  const phone = String(wish?.to);
  const left = await scene.world.rows(
    `SELECT (SELECT count(*) FROM events WHERE message_id = ?1) AS events,
       (SELECT count(*) FROM links WHERE message_id = ?1) AS links,
       (SELECT count(*) FROM subscriptions WHERE website_id = 'brand' AND phone = ?2) AS subscriptions`,
    id,
    Number(phone.slice(1)),
  );
  await scene.world.subscribers("brand", [`${phone},,true`]);
  const faults = await scene.judgeNumber(phone, { subscribed: null, changes: 0, texts: 0 });
  const kept = Object.entries(left[0] ?? {}).filter(([, count]) => count !== 0);
  return [...faults, ...kept.map(([table, count]) => `${count} of ${table} are kept`)];
}
