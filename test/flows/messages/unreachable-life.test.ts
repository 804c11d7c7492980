import { it } from "vitest";
import { liveRandomly } from "./unreachable-life.ts";

it("over a random life, a number is unreachable exactly while its last texts say so", () => liveRandomly(1, 8));
