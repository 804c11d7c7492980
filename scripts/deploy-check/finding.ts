/** Something that is missing or risky in a deployment. */
export interface Finding {
  what: string;
  why: string;
  fix: string;
}

/** A flag or a file is wrong. */
export class UsageError extends Error {}
