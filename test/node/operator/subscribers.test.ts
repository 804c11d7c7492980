import { expect, test } from "vitest";
import type { SubscriberAnswers } from "../../../src/operator/answers/imports.ts";
import { operator } from "../harness/operator.ts";
import { startReceiver } from "../harness/receiver.ts";

type Undone = SubscriberAnswers["UndoneImport"];

/** A service that undoes a large import in so many calls. */
async function startService(steps: Undone[]) {
  const left = [...steps];
  return startReceiver((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(left.shift())),
  );
}

test("undo-import goes on until the service says that it is complete, and tells the sum", async () => {
  const service = await startService([
    { restoredBefore: 5, restored: 100, changedSince: 1, isComplete: false },
    { restoredBefore: 105, restored: 100, changedSince: 1, isComplete: false },
    { restoredBefore: 205, restored: 100, changedSince: 2, isComplete: false },
    { restoredBefore: 305, restored: 7, changedSince: 3, isComplete: true },
  ]);
  try {
    const { code, output } = await operator(service.url, ["undo-import", "import-1"]);
    expect(service.received.map(({ path }) => path)).toEqual(new Array(4).fill("/operator/imports/import-1/undo"));
    expect([code, output]).toEqual([
      0,
      "restoredBefore  5\nrestored        307\nchangedSince    3\nisComplete      yes\n\n" +
        "307 numbers are again as before the import. An earlier undo had restored 5. What changed after the import stays as it is: 3 numbers. The import is closed.\n",
    ]);
  } finally {
    await service.close();
  }
});
