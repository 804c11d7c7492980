// Calls that do a part of the work each: the command repeats them, and tells the sum.
import type { DeadJobAnswers } from "../../../src/operator/answers/dead-jobs.ts";
import type { SubscriberAnswers } from "../../../src/operator/answers/imports.ts";
import type { Own } from "../command.ts";

type PutBackAll = DeadJobAnswers["PutBackAll"];
type Undone = SubscriberAnswers["UndoneImport"];

/**
 * With --all, 100 jobs per call, and only as many as wait when the first call is answered: jobs that die again at once would
 * never end.
 */
export const PUT_BACK: Own = {
  run: async (_service, _parameters, values, ask) => {
    if (!values.all) return ask();
    const step = async () => JSON.parse(await ask()) as PutBackAll;
    const first = await step();
    let { putBack, left, unreadable } = first;
    const most = putBack + unreadable + left;
    while (left > 0 && putBack + unreadable < most) {
      const next = await step();
      putBack += next.putBack;
      unreadable += next.unreadable;
      left = next.left;
    }
    return JSON.stringify({ putBack, left, unreadable });
  },
};

/** A large import takes several calls. */
export const UNDO_IMPORT: Own = {
  run: async (_service, _parameters, _values, ask) => {
    let answer = JSON.parse(await ask()) as Undone;
    const { restoredBefore } = answer;
    while (!answer.isComplete) answer = JSON.parse(await ask()) as Undone;
    const restored = answer.restoredBefore + answer.restored - restoredBefore;
    return JSON.stringify({ ...answer, restoredBefore, restored });
  },
};
