import { describe, expect, it } from "vitest";
import { BODY_LIMITS } from "../../src/http/body.ts";
import {
  client,
  countStored,
  expectManyAccepted,
  expectStoredWhole,
  fullOf,
  keyed,
  PATH,
  prepare,
  refusal,
  world,
} from "./bulk.ts";

prepare();

describe("a body that breaks off", () => {
  it("over 48 MB is refused, whatever its declared length", async () => {
    const headers = {
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
      "content-type": "application/json",
    };
    let sent = 0;
    const items = new TextEncoder().encode(`"${"x".repeat(2045)}",`.repeat(512));
    const pieces = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"messages":[')),
      pull(controller) {
        sent += items.byteLength;
        controller.enqueue(items.slice());
        if (sent > 50 * 1024 * 1024) controller.close();
      },
    });
    // As over a network: a stream of bytes, and not of a script's own pieces.
    const body = pieces.pipeThrough(new IdentityTransformStream());
    expect((await refusal(await world.fetch(PATH, { method: "POST", headers, body }))).body.code).toBe(41300);
  });

  // A quarter of what is taken: what took a time of the square of its length would not end all the same.
  it.each(fullOf(BODY_LIMITS.bulk / 4))(
    "of 12 MB is answered in a limited time, full of %s",
    async (_, status, body) => {
      expect((await world.post(PATH, client, body)).status).toBe(status);
      expect(await countStored()).toBe(0);
    },
  );
});

it("a bulk request of more bytes than one value of the store is stored whole with its Idempotency-Key, too", () =>
  expectStoredWhole({ duplicateWindowHours: 1 }, keyed("k")));

describe("many messages", () => {
  it("are accepted in one request: 50,000", () => expectManyAccepted(50_000));
});
