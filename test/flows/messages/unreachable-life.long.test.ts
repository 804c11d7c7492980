import { it } from "vitest";
import { liveRandomly } from "./unreachable-life.ts";

it("over random lives, a number is unreachable exactly while its last texts say so", () => liveRandomly(25, 40));
