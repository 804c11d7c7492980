import { tell } from "../parts/toast.tsx";
import { Failure } from "./ask.ts";

/**
 * Does what has no place for a failure of its own, such as an Undo: a toast says it.
 * @param fault what is not done: `Nothing is released`
 * @returns whether it was done
 */
export async function attempt(act: () => Promise<unknown>, fault: string): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    const { message, requestId } = error instanceof Failure ? error : new Failure(0, null, null);
    tell({ text: `${fault}: ${message}${requestId ? ` Request ${requestId}` : ""}` });
    return false;
  }
}
