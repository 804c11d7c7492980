/** The pages of the console beside the rows of a service that has texts of every outcome. */
import { afterAll, beforeAll, describe, it } from "vitest";
import { hasBrowser } from "../journeys/browser.ts";
import {
  expectCampaign,
  expectLists,
  expectOverview,
  expectRange,
  expectReport,
  expectWaiting,
  expectWebsite,
  type NumbersStage,
  RANGES,
  startNumbers,
} from "./numbers-stage.ts";
import { PURPOSES, WEBSITES } from "./seeded-texts.ts";

describe.skipIf(!hasBrowser)("every number of a page equals the rows", () => {
  let stage: NumbersStage;

  beforeAll(async () => {
    stage = await startNumbers(1, 1500);
  });

  afterAll(() => stage?.stop());

  const campaigns = WEBSITES.flatMap((website) => PURPOSES.map((purpose) => [website, purpose] as const));

  it("the overview", () => expectOverview(stage));
  it.each(WEBSITES)("the website %s", (website) => expectWebsite(stage, website));
  it.each([null, ...WEBSITES])("the report of %s", (website) => expectReport(stage, website));
  it.each(campaigns)("the campaign of %s, %s", (website, purpose) => expectCampaign(stage, website, purpose));
  it.each(RANGES)("the days of %s", async (...range) => {
    const [website, purpose] = campaigns[0] as (typeof campaigns)[number];
    const ofWebsite = stage.texts.filter((it) => it.website === website);
    await expectRange(stage, "overview", stage.texts, range);
    await expectRange(stage, `websites/${website}`, ofWebsite, range);
    const own = ofWebsite.filter((it) => it.purpose === purpose);
    await expectRange(stage, `websites/${website}/campaigns/${encodeURIComponent(purpose)}`, own, range);
  });
  it("what waits", () => expectWaiting(stage));
  it.each(campaigns)("the lists to which the campaign of %s, %s leads", (website, purpose) =>
    expectLists(stage, website, purpose),
  );
});
