/** Something that is missing or risky in a deployment. */
export interface Finding {
  what: string;
  why: string;
  fix: string;
}
