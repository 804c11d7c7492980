// The query parameter `limit` of a client's lists.
import type { FieldError } from "../domain/failure.ts";
import { inQuery, type Parameter } from "./call.ts";

export interface Limit {
  /** Without the parameter. */
  fallback: number;
  most: number;
}

export const inLimit = (description: string, { fallback, most }: Limit): Parameter =>
  inQuery("limit", description, { type: "integer", minimum: 1, maximum: most, default: fallback });

/** @returns undefined: the request breaks limitFault */
export function readLimit(given: string | string[] | undefined, { fallback, most }: Limit): number | undefined {
  if (given === undefined || given === "") return fallback;
  const isNumber = typeof given === "string" && /^\d+$/.test(given) && given.length <= String(most).length;
  const limit = isNumber ? Number(given) : 0;
  return limit >= 1 && limit <= most ? limit : undefined;
}

export const limitFault = ({ most }: Limit): FieldError => ({
  field: "limit",
  message: `must be a whole number from 1 to ${most}`,
});
