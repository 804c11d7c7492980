import { inject } from "vitest";
import { describeWebsites } from "./over-databases.ts";

/** The audit log of so many changes has several pages. */
const CHANGES = 120;

describeWebsites("websites over eight databases", {
  databases: 8,
  websites: inject("websitesOverDatabases"),
  changes: CHANGES,
});
