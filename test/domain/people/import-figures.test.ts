import { describe, expect, it } from "vitest";
import { joinOutcomes, type Outcome } from "../../../src/domain/people/import-figures.ts";

/** What two parts of an import do to a number, and what they have done together: an opt-out of any part wins. */
const TABLE: [before: Outcome | undefined, outcome: Outcome, subscribed: boolean, together: Outcome][] = [
  [undefined, "unchanged", true, "unchanged"],
  ["newSubscribed", "unchanged", true, "newSubscribed"],
  ["newSubscribed", "newAddress", true, "newSubscribed"],
  ["newSubscribed", "becameOptedOut", false, "newOptedOut"],
  // A dry run stores nothing, so the number is new to each part.
  ["newSubscribed", "newOptedOut", false, "newOptedOut"],
  ["newOptedOut", "unchanged", false, "newOptedOut"],
  ["becameSubscribed", "becameOptedOut", false, "unchanged"],
  ["becameSubscribed", "unchanged", false, "unchanged"],
  ["becameSubscribed", "newAddress", true, "becameSubscribed"],
  ["becameOptedOut", "unchanged", false, "becameOptedOut"],
  ["newAddress", "becameOptedOut", false, "becameOptedOut"],
  ["newAddress", "unchanged", true, "newAddress"],
  ["unchanged", "becameOptedOut", false, "becameOptedOut"],
  ["byOthers", "unchanged", false, "unchanged"],
  ["byPerson", "byPerson", true, "byPerson"],
  ["unchanged", "byOthers", true, "byOthers"],
];

describe("an outcome", () => {
  it.each(TABLE)("%s, and then %s (subscribed: %s), is together %s", (before, outcome, subscribed, together) => {
    expect(joinOutcomes(before, outcome, subscribed)).toBe(together);
  });
});
