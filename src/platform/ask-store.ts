import { RequestFailure } from "../domain/failure.ts";
import { withinTime } from "./time-limit.ts";

/** A call of a store that takes one try. @throws RequestFailure store-unavailable when it fails, or gives no answer in the time */
export async function askStore<T>(milliseconds: number, call: () => Promise<T>): Promise<T> {
  try {
    return await withinTime(milliseconds, call());
  } catch (error) {
    throw new RequestFailure({ kind: "store-unavailable" }, { cause: error });
  }
}
