import { describe } from "vitest";
import { testDrawnWords } from "./drawn-words.ts";

describe("a website's own opt-out words", () => testDrawnWords(1000));
