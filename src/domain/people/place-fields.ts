// Pure. Fields that say where a person is.
import { firstFault, text } from "../fields.ts";
import { isRegion, isTimeZone } from "./places.ts";

/** An offset is no zone: it would be wrong for half the year. */
export const timeZoneName = text(64)
  .trim()
  .superRefine(
    firstFault((name) =>
      name === "" || isTimeZone(name) ? undefined : "must be the IANA name of a time zone, such as America/New_York",
    ),
  );

export const regionCode = text(6)
  .trim()
  .toUpperCase()
  .superRefine(
    firstFault((code) =>
      code === "" || isRegion(code) ? undefined : "must be the ISO 3166-2 code of a state or region, such as US-FL",
    ),
  );
