import { vi } from "vitest";
import type { Flow } from "./flow.ts";
import type { Scene } from "./stage.ts";

const post = (scene: Scene) => scene.stage.runQueues("callbacks");

/** Sends to numbers never seen: each is an event at once. */
const cause = (count: number) => (scene: Scene) =>
  scene.sendAll(Array.from({ length: count }, () => scene.wish(scene.stage.stranger(), "NOT_FOUND")));

async function withEndpoint(scene: Scene, endpoint: Scene["stage"]["outside"]["endpoint"], work: () => Promise<void>) {
  const { outside } = scene.stage;
  const usual = outside.endpoint;
  outside.endpoint = endpoint;
  try {
    await work();
  } finally {
    outside.endpoint = usual;
  }
}

/** Ten seconds pass at once. */
const hang = (_: string, signal: AbortSignal) =>
  new Promise<Response>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    queueMicrotask(() => vi.advanceTimersByTime(10_000));
  });

/** A job of the queue of callbacks. What a run claims and then fails to post is given back where that is sure. */
export const CALLBACKS: Flow[] = [
  { name: "post a callback", prepare: cause(1), act: post },
  { name: "post callbacks of seven messages", prepare: cause(7), act: post },
  {
    name: "post to an endpoint that answers 500",
    onlyLong: true,
    prepare: cause(2),
    act: (scene) =>
      withEndpoint(
        scene,
        () => new Response("broken", { status: 500 }),
        () => post(scene),
      ),
  },
  {
    name: "post to an endpoint that hangs: the rest waits a minute",
    prepare: cause(7),
    act: async (scene) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      await withEndpoint(scene, hang, () => post(scene));
      vi.useRealTimers();
    },
  },
  {
    name: "post to a slow endpoint: the rest is put back as the run ends",
    prepare: cause(7),
    act: (scene) => {
      const started = scene.world.now;
      const slow = () => {
        scene.world.advance(8);
        return new Response("at last");
      };
      return withEndpoint(scene, slow, async () => {
        const [job] = [scene.stage.queues.takeDue("callbacks")];
        await scene.stage.queues.deliver(scene.world.deps, "callbacks", job);
        await scene.world.afterAnswer();
        scene.world.now = started;
      });
    },
  },
];
