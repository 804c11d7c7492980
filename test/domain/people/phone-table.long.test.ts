import { describe } from "vitest";
import { testDrawnNumbers } from "./drawn-numbers.ts";

describe("what is taken of the library's data", () => testDrawnNumbers(100_000));
