// Pure. Fields that say where a person is.
import * as z from "zod";
import { firstFault } from "../fields.ts";
import { isRegion, isTimeZone } from "./places.ts";

const MOST_CHARACTERS = 64;

/** A bulk request has the same few zones again and again, and the runtime takes long to find one. */
const knownZones = new Set<string>();
const MOST_KNOWN = 1000;

function isZone(name: string): boolean {
  if (knownZones.has(name)) return true;
  if (name.length > MOST_CHARACTERS || !isTimeZone(name)) return false;
  if (knownZones.size < MOST_KNOWN) knownZones.add(name);
  return true;
}

const fault = (isRight: boolean, rule: string) => (isRight ? undefined : `must be ${rule}`);

/** An offset is no zone: it would be wrong for half the year. */
export const timeZoneName = z
  .string("must be a string")
  .trim()
  .superRefine(
    firstFault((name) => fault(name === "" || isZone(name), "the IANA name of a time zone, such as America/New_York")),
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
