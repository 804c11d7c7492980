import { expect, it } from "vitest";
import { play } from "./decision-stage.ts";

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

it("a part does to its numbers what the rules say, also when it is tried again", async () => {
  const total = { rows: 0, refused: 0, told: 0, repeated: 0, joined: 0 };
  for (const seed of SEEDS) {
    const counts = await play(seed, 40);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name];
  }
  for (const [name, count] of Object.entries(total)) expect(count, name).toBeGreaterThan(100);
});
