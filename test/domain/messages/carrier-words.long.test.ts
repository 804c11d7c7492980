import { describe } from "vitest";
import { testDrawnNumbers } from "./drawn-carrier-words.ts";

describe("a number in a carrier's words", () => testDrawnNumbers(2000));
