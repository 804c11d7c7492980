// Pure. Where each website lives.

export class Route {
  readonly #homes: number[];

  constructor(homes: number[]) {
    this.#homes = [...homes];
  }

  homeOf(website: number): number {
    return this.#homes[website] as number;
  }

  /** Calls `work` for each database with what belongs to it. */
  byHome(websites: number[], work: (home: number, own: number[]) => void): void {
    const [first] = websites;
    if (first === undefined) return;
    const home = this.homeOf(first);
    if (websites.every((website) => this.homeOf(website) === home)) work(home, websites);
    else for (const [other, own] of Map.groupBy(websites, (website) => this.homeOf(website))) work(other, own);
  }
}
