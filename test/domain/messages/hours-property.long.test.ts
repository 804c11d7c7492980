import { describe } from "vitest";
import { testDrawnInstants } from "./drawn-hours.ts";

describe("no instant is open that the clock of any place closes, and the next opening is the first minute that all share", () => {
  testDrawnInstants(200, 100);
});
