import { useState } from "preact/hooks";
import { Failure } from "./ask.ts";

export interface Act {
  isBusy: boolean;
  failure: Failure | null;
  /** @returns whether it was done */
  run(act: () => Promise<void>): Promise<boolean>;
}

/** Something that a press of a button does: once at a time, and its failure stays beside the button. */
export function useAct(): Act {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async (act: () => Promise<void>) => {
    if (isBusy) return false;
    setBusy(true);
    setFailure(null);
    try {
      await act();
      return true;
    } catch (error) {
      setFailure(error instanceof Failure ? error : new Failure(0, null, null));
      if (!(error instanceof Failure)) console.error(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, run };
}
