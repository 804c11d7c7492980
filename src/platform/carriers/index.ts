import type { Carrier } from "./carrier.ts";
import { sandbox } from "./sandbox.ts";

/** Of a website that names none. */
export const DEFAULT_CARRIER = "sandbox";

export const carriers: Record<string, Carrier> = { sandbox };
