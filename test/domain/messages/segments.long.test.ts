import { describe } from "vitest";
import { testDrawnTexts } from "./drawn-segments.ts";

describe("the count of segments", () => testDrawnTexts(400));
