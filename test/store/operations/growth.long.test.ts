import { it } from "vitest";
import { expectSum, prepare } from "./growing.ts";

prepare();

it.each([1, 2, 3])("adds up to the subscribers, whatever comes, for long (%i)", (seed) => expectSum(seed, 80, 5));
