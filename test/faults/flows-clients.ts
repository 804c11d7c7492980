import type { TestClient } from "../world.ts";
import type { Flow } from "./flow.ts";
import type { Scene } from "./stage.ts";

/** The pairs that a scene has been given, the latest last. */
const pairs = new WeakMap<Scene, TestClient[]>();

async function create(scene: Scene): Promise<void> {
  await ask(scene, "POST", "/websites/brand/clients", {}, (issued) => pairs.set(scene, [issued]));
}

function ask(
  scene: Scene,
  method: string,
  path: string,
  body: object,
  onIssued: (issued: TestClient) => void = () => {},
): Promise<void> {
  return scene.ask(
    () => scene.world.operator(method, path, body),
    async (answer) => onIssued(await answer.json()),
  );
}

const first = (scene: Scene) => pairs.get(scene)?.[0] as TestClient;

const rotate = (body: object) => (scene: Scene) =>
  ask(scene, "POST", `/clients/${first(scene).clientId}/rotate`, body, (issued) =>
    pairs.get(scene)?.push({ ...issued, clientId: first(scene).clientId }),
  );

/** Whether each pair of the scene is let in, in their order: 404 is the answer to who asks for a message that is not. */
const judgeDoor =
  (...expected: (404 | 401 | 403)[]) =>
  async (scene: Scene) => {
    // In one second, only so many callers may have a wrong secret.
    scene.world.advance(1);
    const statuses = await Promise.all(
      (pairs.get(scene) ?? []).map(async ({ clientId, clientSecret }) => {
        const headers = { "x-client-id": clientId, "x-client-secret": clientSecret };
        return (await scene.world.fetch(`/text/message/status?messageId=${crypto.randomUUID()}`, { headers })).status;
      }),
    );
    return statuses.join() === expected.join() ? [] : [`its pairs are answered ${statuses} in place of ${expected}`];
  };

const DUPLICATED = { phone: "+13125550100", text: "x", callbackData: "", sendPurpose: "a" };

const numbers = new WeakMap<Scene, number>();
let websites = 0;

const SETTINGS = { carrier: "sandbox", sender: "12345", helpText: "Call us", duplicateWindowHours: 2 };

/** What the operator does with clients and websites. A change holds after the next sweep, also of one that was answered 503. */
export const CLIENTS: Flow[] = [
  { name: "create a client", act: create, judge: judgeDoor(404) },
  {
    name: "rotate a client's secrets: the old pair works until its grace ends",
    prepare: create,
    act: rotate({}),
    judge: judgeDoor(404, 404),
  },
  {
    name: "rotate a client's secrets at once",
    onlyLong: true,
    prepare: create,
    act: rotate({ graceSeconds: 0 }),
    judge: judgeDoor(401, 404),
  },
  {
    name: "suspend a client",
    prepare: create,
    act: (scene) => ask(scene, "PATCH", `/clients/${first(scene).clientId}`, { suspended: true }),
    judge: judgeDoor(403),
  },
  {
    name: "let a suspended client in again",
    onlyLong: true,
    prepare: async (scene) => {
      await create(scene);
      // KV takes one write of a key in a second.
      scene.world.advance(1);
      await ask(scene, "PATCH", `/clients/${first(scene).clientId}`, { suspended: true });
    },
    act: (scene) => ask(scene, "PATCH", `/clients/${first(scene).clientId}`, { suspended: false }),
    judge: judgeDoor(404),
  },
  {
    name: "change one setting of a website: the others stay",
    prepare: async (scene) => {
      numbers.set(scene, ++websites);
      await scene.world.website(`site-${websites}`, SETTINGS);
    },
    act: (scene) => ask(scene, "PUT", `/websites/site-${numbers.get(scene)}`, { name: "renamed" }),
    judge: async (scene) => {
      const found = await (await scene.world.operator("GET", `/websites/site-${numbers.get(scene)}`)).json();
      const expected = { ...SETTINGS, name: "renamed" } as Record<string, unknown>;
      return Object.entries(expected).flatMap(([name, value]) =>
        (found as Record<string, unknown>)[name] === value ? [] : [`its ${name} is not ${value}`],
      );
    },
  },
  {
    name: "have a website suppress duplicates",
    onlyLong: true,
    prepare: async (scene) => {
      numbers.set(scene, ++websites);
      await scene.world.website(`site-${websites}`);
      await scene.world.subscribers(`site-${websites}`, [DUPLICATED.phone]);
      pairs.set(scene, [await scene.world.client(`site-${websites}`)]);
    },
    act: (scene) =>
      ask(scene, "PUT", `/websites/site-${numbers.get(scene)}`, { name: "site", duplicateWindowHours: 1 }),
    judge: async (scene) => {
      const send = async () => (await scene.world.post("/text/message/send", first(scene), DUPLICATED)).text();
      const [one, other] = [await send(), await send()];
      // Nobody wished for it.
      await scene.world.operator("POST", `/websites/site-${numbers.get(scene)}/cancel`, {});
      return one === other ? [] : ["a duplicate is not suppressed"];
    },
  },
];
