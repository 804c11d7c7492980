// Pure. Fields that say where a person is.
import * as z from "zod";
import { firstFault } from "../fields.ts";
import { isRegion, isTimeZone } from "./places.ts";

const MOST_CHARACTERS = 64;

/**
 * By their names in lower case. A bulk request has the same few zones again and again, and the runtime takes long to find one. There are
 * some six hundred, however they are spelled.
 */
const knownZones = new Set<string>();

function isKnownZone(name: string): boolean {
  const key = name.toLowerCase();
  if (knownZones.has(key)) return true;
  const isZone = name.length <= MOST_CHARACTERS && isTimeZone(name);
  if (isZone) knownZones.add(key);
  return isZone;
}

const fault = (isRight: boolean, rule: string) => (isRight ? undefined : `must be ${rule}`);

/** The zone keeps the name that was given. An offset is no zone: it would be wrong for half the year. */
export const timeZoneName = z
  .string("must be a string")
  .trim()
  .superRefine(
    firstFault((name) =>
      fault(name === "" || isKnownZone(name), "the IANA name of a time zone, such as America/New_York"),
    ),
  );

export const regionCode = z
  .string("must be a string")
  .trim()
  .toUpperCase()
  .superRefine(
    firstFault((code) =>
      fault(code === "" || isRegion(code), "the ISO 3166-2 code of a state or region, such as US-FL"),
    ),
  );
