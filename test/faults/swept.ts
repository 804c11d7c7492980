/** A sweep that meets a fault, and what has become of all that it was to set right. */
import { Comparer, type Comparison } from "./compare.ts";
import { judgeSwept, leaveBehind } from "./flows-sweep.ts";
import type { Fault } from "./injector.ts";
import type { Scene, Stage } from "./stage.ts";

export async function play(stage: Stage, fault?: Fault): Promise<Scene> {
  const scene = stage.scene("sweep", fault);
  await leaveBehind(scene);
  await scene.act(() => scene.world.sweep());
  scene.injector.mend();
  return scene;
}

/**
 * Fifteen minutes later; then the carrier reports what it has. What a fault makes the sweep forget once more waits twice as
 * long as a job may that makes up for a failed store.
 */
export async function compare(stage: Stage, scene: Scene): Promise<Comparison> {
  await stage.passMinutes(15);
  const waiting = await stage.world.rows("SELECT message_id FROM messages WHERE status = 'SENDING'");
  if (waiting.length !== 2) scene.faults.push(`${waiting.length} messages are SENDING, in place of 2`);
  await scene.receipts(waiting.map(({ message_id }) => ({ messageId: String(message_id) })));
  await stage.runQueues();
  scene.faults.push(...(await judgeSwept(scene)));
  const comparer = await Comparer.read(stage);
  const comparison = comparer.compare([scene]);
  comparison.violations.push(...(await comparer.strays()));
  // The next scene is 30 days later, and purges the events of this one.
  stage.outside.posts.length = 0;
  return comparison;
}
