import { expect, test } from "vitest";
import { operator } from "../harness/operator.ts";
import { answer, startReceiver } from "../harness/receiver.ts";

test.each([301, 302, 303, 307, 308])(
  "the operator's token does not follow a redirect to another origin: HTTP %i",
  async (status) => {
    const elsewhere = await startReceiver();
    const service = await startReceiver(answer(status, { location: `${elsewhere.url}/operator/websites` }));
    try {
      const { code, output } = await operator(service.url, ["websites"]);
      expect(service.received).toHaveLength(1);
      expect(elsewhere.received).toEqual([]);
      expect([code, output]).toEqual([1, expect.stringContaining(`HTTP ${status}`)]);
    } finally {
      await Promise.all([service.close(), elsewhere.close()]);
    }
  },
);
