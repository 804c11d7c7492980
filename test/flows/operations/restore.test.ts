import { beforeEach, describe, expect, it } from "vitest";
import KEEP from "../../../scripts/restore/keep.sql?raw";
import {
  ADA,
  begin,
  change,
  client,
  readEvents,
  sendThenRestore,
  stop,
  subscriptionOf,
  world,
} from "./restore-stage.ts";
import { restore, run, takeSnapshot } from "./time-travel.ts";

beforeEach(begin);

describe("a database that was restored to an hour ago", () => {
  it("keeps an opt-out of a row that was stored after that time, and begun before it", async () => {
    const snapshot = await takeSnapshot(world);
    world.advance(1);
    await stop(ADA);
    const kept = await world.rows(KEEP.replaceAll(":restore_to", String(world.now + 20_000)));
    await restore(snapshot);
    await run(kept.map(({ statements }) => statements).join("\n"));
    expect(await subscriptionOf(ADA)).toEqual({ subscribed: 0, person: 1 });
  });

  it("has what it stores from then on read behind a cursor that a client was given before", async () => {
    const { waiting, claimed, cursor } = await sendThenRestore();
    await change();
    await world.pass(1);
    const fresh = await world.send(client, { phone: "+12125550199" });
    const { events } = await readEvents(cursor);
    expect(events.map(({ eventId }) => eventId).sort()).toEqual(
      [`${waiting}_SENDING`, `${claimed}_SENDING`, `${fresh}_NOT_FOUND`].sort(),
    );
  });
});
