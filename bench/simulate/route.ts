// Pure. Where each website lives, and what a move of one changes of that.

export class Route {
  readonly #homes: number[];
  /** The website whose writes are refused where it lives. */
  #fenced: number | undefined;
  /** The website whose changes are logged where it lives: each of its rows is written twice. */
  logged: number | undefined;
  #parked: (() => void)[] = [];

  constructor(homes: number[]) {
    this.#homes = [...homes];
  }

  homeOf(website: number): number {
    return this.#homes[website] as number;
  }

  isFenced(website: number): boolean {
    return website === this.#fenced;
  }

  fence(website: number): void {
    this.#fenced = website;
  }

  /** What waited goes on, at the new home. */
  lift(website: number, home: number): void {
    this.#homes[website] = home;
    this.#fenced = undefined;
    for (const goOn of this.#parked.splice(0)) goOn();
  }

  /** Until the fence is lifted. */
  park(goOn: () => void): void {
    this.#parked.push(goOn);
  }

  /** Takes out what may not be written now, and parks it. @param goOn what becomes of it later */
  withoutFenced(websites: number[], goOn: (fenced: number[]) => void): number[] {
    if (this.#fenced === undefined || !websites.includes(this.#fenced)) return websites;
    const fenced = websites.filter((website) => this.isFenced(website));
    this.park(() => goOn(fenced));
    return websites.filter((website) => !this.isFenced(website));
  }

  /** As many as the statements of a call work on: one that is logged counts twice. */
  weigh(websites: number[]): number {
    if (this.logged === undefined) return websites.length;
    return websites.reduce((sum, website) => sum + (website === this.logged ? 2 : 1), 0);
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
