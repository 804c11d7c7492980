import { expect } from "vitest";
import { importQuery } from "../../subscriber-csv.ts";
import type { World } from "../../world.ts";

const EVE = "+12125550102";

/** Into the website `brand`. */
export async function loadInto(world: World, csv: string, query = "") {
  const answer = await world.operator("POST", `/websites/brand/subscribers${importQuery(csv, query)}`, csv, "text/csv");
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export const list = (...phones: string[]) => ["phone_numbers", ...phones].join("\n");

/** Whom anyone has unsubscribed among these numbers is counted, and the first thousand named, also where the website has erased people. */
export async function expectNamed(world: World, numbers: number): Promise<void> {
  const phones = Array.from({ length: numbers }, (_, index) => `+1212${5_600_000 + index}`);
  const optedOut = phones.filter((_, index) => index % 10 === 0);
  const imported = numbers - optedOut.length;
  await loadInto(world, `phone_numbers,subscribed\n${optedOut.map((phone) => `${phone},no`).join("\n")}`);
  const expected = { imported, newSubscribed: imported, unchanged: 0 };
  for (const erased of [[], [EVE]]) {
    if (erased.length > 0) await loadInto(world, list(...erased), "?resubscribe=true");
    for (const phone of erased) await world.operator("DELETE", `/websites/brand/people/${phone}`);
    const { body } = await loadInto(world, list(...phones, ...erased), "?dryRun=true");
    expect(body).toMatchObject({ ...expected, keptUnsubscribed: optedOut.length + erased.length });
    expect(body.unsubscribedNumbers).toEqual(optedOut.slice(0, 1000));
    expect(body.optedOutNumbers).toEqual(erased.length > 0 ? erased : undefined);
  }
  const { body } = await loadInto(world, list(...phones, EVE));
  expect(body).toMatchObject({ ...expected, keptUnsubscribed: optedOut.length + 1, optedOutNumbers: [EVE] });
  const subscribed = "SELECT count(*) AS n FROM subscriptions WHERE subscribed = 1";
  expect(await world.rows(subscribed)).toEqual([{ n: imported }]);
}
