// The file of an import, part by part as it comes in: neither the file nor its rows are in memory at any time.
import type { SubscriberFile } from "../domain/people/subscriber-file.ts";
import type { SubscriberPart } from "../domain/people/subscribers.ts";
import type { ApiRequest } from "./api-request.ts";
import { BODY_LIMITS, readChunks } from "./body.ts";

/** @throws RequestFailure as readChunks; fields-wrong, once all of the file has been read */
export async function* readParts(request: ApiRequest, file: SubscriberFile): AsyncGenerator<SubscriberPart, void> {
  for await (const piece of readChunks(request, BODY_LIMITS.subscribers)) yield* file.write(piece);
  yield* file.end();
}
