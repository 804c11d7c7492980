import { expect, it } from "vitest";
import { bindDatabases } from "../databases.ts";
import { beginMove, finishMove } from "../moves.ts";
import { ADA, client, DAY_SECONDS, prepare, report, world } from "./reporting.ts";

prepare();

it("by sender keeps the order of the changes that different databases have", async () => {
  await bindDatabases(world, 2);
  const senders = ["+12125550007", "+12125550008", "+12125550009"];
  for (const [index, sender] of senders.entries()) {
    if (index > 0) await beginMove(world, "brand", index === 1 ? "DB_2" : "DB");
    if (index > 0) await finishMove(world, "brand");
    world.advance(2);
    await world.website("brand", { sender });
    await world.send(client, { phone: ADA });
    world.advance(DAY_SECONDS);
  }
  expect((await report("by=sender")).rows.map(({ sender, accepted }) => [sender, accepted])).toEqual(
    senders.map((sender) => [sender, 1]),
  );
});
