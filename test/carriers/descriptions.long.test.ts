import { afterEach, describe, vi } from "vitest";
import { testDrawnRequests } from "./drawn-requests.ts";
import { telnyx } from "./telnyx.ts";
import { twilio } from "./twilio.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each([twilio, telnyx])("a request to $name", (carrier) => {
  testDrawnRequests(carrier, 40);
});
