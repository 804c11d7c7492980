import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** How many seeds the tests of faults take, by FAULT_SEEDS; more than one is their long form. */
    faultSeeds: number;
    /** The first of them. */
    faultFromSeed: number;
    /** Whether `npm run faults` runs them, which shows what each came to. */
    printsFaultSummaries: boolean;
    websitesOverDatabases: number;
  }
}
