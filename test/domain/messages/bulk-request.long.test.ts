import { describe } from "vitest";
import { testDrawnMessages } from "./drawn-bulk-requests.ts";

describe("the messages of a bulk request", () => testDrawnMessages(150));
