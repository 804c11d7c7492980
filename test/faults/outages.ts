import { expect, inject } from "vitest";
import { Comparer } from "./compare.ts";
import { type Fault, Injector } from "./injector.ts";
import type { Scene, Stage } from "./stage.ts";
import { printSummary } from "./summary.ts";

/** A job of the queue is tried again after 5 seconds to 5 minutes. */
const STEP_SECONDS = inject("faultSeeds") > 1 ? 10 : 20;

/**
 * The store is away from a call of the flow on, which may take effect all the same, and for minutes after: queues and
 * sweeps meet it too.
 */
export async function outage(
  stage: Stage,
  { minutes, nth, when }: { minutes: number; nth: number; when: Fault["when"] },
  work: () => Promise<unknown>,
): Promise<void> {
  const injector = new Injector({ nth, when, lasts: "on its binding", afterwards: "before" });
  stage.world.deps = injector.wrap(stage.deps);
  await work();
  for (let second = 0; second < minutes * 60; second += STEP_SECONDS) {
    stage.world.advance(STEP_SECONDS);
    await stage.runQueues();
    if (second % 60 === 0) await stage.world.sweep();
  }
  injector.mend();
  stage.world.deps = stage.deps;
}

/** What is wrong, when all has come to rest. */
export async function findings(stage: Stage, scene: Scene): Promise<string[]> {
  await stage.recover();
  await stage.end();
  const comparer = await Comparer.read(stage);
  const { violations, counts } = comparer.compare([scene]);
  const { messages, callbacks } = Object.groupBy(stage.queues.dead, ({ queue }) => queue);
  printSummary(
    `${expect.getState().currentTestName}: ${JSON.stringify(counts)}, dead: ${messages?.length ?? 0} jobs, ${callbacks?.length ?? 0} callbacks`,
  );
  return [...violations, ...(await comparer.strays())];
}
