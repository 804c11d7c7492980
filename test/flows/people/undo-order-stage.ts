// Imports, their undo, and all that others say of numbers, in any order, against a model of a few lines.
import { expect } from "vitest";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { Random } from "../../random.ts";
import { subscriberRow } from "../../subscriber-csv.ts";
import { type TestClient, World } from "../../world.ts";

const OURS = "+12125550000";
const PHONES = Array.from({ length: 14 }, (_, index) => `+121255501${10 + index}`);
const ADDRESSES = ["", "", "a@example.com", "b@example.com"];
const STEPS = 40;

type State = { subscribed: boolean; email: string | null; byPerson: boolean } | null;

/** A row of the ledger: who wrote it, and the state of the number before. */
interface Row {
  by: string;
  before: State;
  changed: boolean;
}

class Num {
  state: State = null;
  isErased = false;
  /** Those that no undo has taken back. */
  rows: Row[] = [];

  /** What changes nothing is no row, unless an import that resubscribes finds a number opted out. */
  say(by: string, after: State, isNoted = false): void {
    const before = this.state;
    const changed =
      before?.subscribed !== after?.subscribed ||
      before?.email !== after?.email ||
      before?.byPerson !== after?.byPerson;
    if (changed || isNoted) this.rows.push({ by, before, changed });
    this.state = after;
  }

  /** @returns whether it stays unsubscribed, although it was to be subscribed */
  set(by: string, subscribed: boolean, email: string | null, resubscribes = true): boolean {
    const { state } = this;
    if (subscribed && (this.isErased || state?.byPerson)) {
      if (!this.isErased && state && email !== null) this.say(by, { ...state, email });
      return true;
    }
    if (subscribed && state?.subscribed === false && !resubscribes) return true;
    const isNoted = by !== "other" && resubscribes && !subscribed && state?.subscribed === false && !state.byPerson;
    this.say(by, { subscribed, email: email ?? state?.email ?? null, byPerson: state?.byPerson ?? false }, isNoted);
    return false;
  }

  stop(): void {
    this.say("other", { subscribed: false, email: this.state?.email ?? null, byPerson: true });
  }

  start(): void {
    const isKnown = this.state !== null || this.isErased;
    this.isErased = false;
    if (isKnown) this.say("other", { subscribed: true, email: this.state?.email ?? null, byPerson: false });
  }

  erase(): void {
    [this.state, this.isErased, this.rows] = [null, true, []];
  }

  removeEmail(): void {
    for (const row of this.rows) if (row.before) row.before = { ...row.before, email: null };
    if (this.state?.email) this.say("other", { ...this.state, email: null });
  }

  /** @returns whether it was restored; undefined: the import has changed nothing of it */
  undo(id: string): boolean | undefined {
    const found = this.rows.some(({ by, changed }) => by === id && changed);
    const latest = this.rows.at(-1);
    if (latest?.by !== id) return found ? false : undefined;
    this.rows.pop();
    this.state = latest.before;
    return found ? true : undefined;
  }
}

class Run {
  readonly #random: Random;
  readonly #world: World;
  readonly #client: TestClient;
  readonly #numbers = new Map(PHONES.map((phone) => [phone, new Num()]));
  readonly #imports: string[] = [];
  readonly #undone = new Set<string>();
  readonly counts = { restored: 0, changedSince: 0, kept: 0 };
  #texts = 0;

  constructor(seed: number, world: World, client: TestClient) {
    this.#random = new Random(seed);
    this.#world = world;
    this.#client = client;
  }

  async step(): Promise<void> {
    this.#world.advance(1);
    const weights = { load: 6, undo: 5, subscribe: 2, unsubscribe: 2, STOP: 2, START: 2, erase: 1, removeEmail: 1 };
    const what = this.#random.weighted(weights);
    if (what === "load") await this.#load();
    else if (what === "undo") await this.#undo();
    else if (what === "subscribe" || what === "unsubscribe") await this.#say(what);
    else if (what === "STOP" || what === "START") await this.#text(what);
    else await this.#remove(what);
    expect(await this.#stored(), what).toEqual(this.#expected());
  }

  #some(): string[] {
    const chance = this.#random.pick([0.1, 0.3, 0.8]);
    return PHONES.filter(() => this.#random.chance(chance));
  }

  #of(phone: string): Num {
    return this.#numbers.get(phone) as Num;
  }

  async #load(): Promise<void> {
    const lines = this.#some().map((phone) => ({
      phone,
      email: this.#random.pick(ADDRESSES),
      subscribed: this.#random.chance(0.6),
    }));
    const csv = lines.map(({ phone, email, subscribed }) => `${phone},${email},${subscribed}`);
    const resubscribes = this.#random.chance(0.5);
    const dry = await this.#import(csv, `?dryRun=true&resubscribe=${resubscribes}`);
    expect(await this.#stored()).toEqual(this.#expected());
    const { importId, ...counts } = await this.#import(csv, `?resubscribe=${resubscribes}`);
    expect(dry).toMatchObject(counts);
    const kept = lines.filter(({ phone, email, subscribed }) =>
      this.#of(phone).set(importId, subscribed, email || null, resubscribes),
    );
    expect(counts).toMatchObject({ keptUnsubscribed: kept.length, imported: lines.length - kept.length });
    this.counts.kept += kept.length;
    const rows = [...this.#numbers.values()].flatMap((number) => number.rows.filter(({ by }) => by === importId));
    const fresh = rows.filter(({ before }) => before === null).length;
    const changed = rows.filter((row) => row.changed && !row.before?.byPerson).length - fresh;
    const sumOf = (...names: string[]) => names.reduce((sum, name) => sum + Number(counts[name]), 0);
    expect(sumOf("newSubscribed", "newOptedOut")).toBe(fresh);
    expect(sumOf("becameSubscribed", "becameOptedOut", "newAddress")).toBe(changed);
    this.#imports.push(importId);
  }

  async #import(lines: string[], query = ""): Promise<{ importId: string } & Record<string, unknown>> {
    const csv = ["phone_numbers,email,subscribed", ...lines.map(subscriberRow)].join("\n");
    return (await this.#world.operator("POST", `/websites/brand/subscribers${query}`, csv, "text/csv")).json();
  }

  async #undo(): Promise<void> {
    const id = this.#random.chance(0.4) ? this.#imports.at(-1) : this.#random.pick(this.#imports);
    if (id === undefined) return;
    const answer = await (await this.#world.operator("POST", `/imports/${id}/undo`)).json();
    const isFirst = !this.#undone.has(id);
    const outcomes = isFirst ? [...this.#numbers.values()].map((number) => number.undo(id)) : [];
    const restored = outcomes.filter((outcome) => outcome === true).length;
    expect(answer).toMatchObject({ restored, isComplete: true });
    if (isFirst) expect(answer).toMatchObject({ changedSince: outcomes.filter((it) => it === false).length });
    this.#undone.add(id);
    this.counts.restored += restored;
    this.counts.changedSince += outcomes.filter((outcome) => outcome === false).length;
  }

  async #say(what: "subscribe" | "unsubscribe"): Promise<void> {
    const phones = this.#some();
    if (phones.length === 0) return;
    await this.#world.post(`/text/${what}`, this.#client, { phone_numbers: phones, sendPurpose: "spring" });
    for (const phone of phones) this.#of(phone).set("other", what === "subscribe", null);
  }

  async #text(words: "STOP" | "START"): Promise<void> {
    const from = this.#random.pick(PHONES);
    const text = { from, to: [OURS], text: words, keyword: null, answeredByCarrier: false };
    const carrierMessageId = `in-${++this.#texts}`;
    await this.#world.invoke("fetch", () => receiveInbound(this.#world.deps, "sandbox", { ...text, carrierMessageId }));
    if (words === "STOP") this.#of(from).stop();
    else this.#of(from).start();
  }

  async #remove(what: "erase" | "removeEmail"): Promise<void> {
    const phone = this.#random.pick(PHONES);
    const rest = what === "erase" ? "" : "/email";
    await this.#world.operator("DELETE", `/websites/brand/people/${phone}${rest}`);
    this.#of(phone)[what]();
  }

  #expected() {
    return [...this.#numbers].flatMap(([phone, { state }]) =>
      state ? [{ phone: Number(phone.slice(1)), ...state }] : [],
    );
  }

  async #stored() {
    const sql = "SELECT phone, subscribed, email, opted_out_by_person FROM subscriptions ORDER BY phone";
    return (await this.#world.rows(sql)).map(({ phone, subscribed, email, opted_out_by_person }) => ({
      ...{ phone, subscribed: subscribed === 1, email, byPerson: opted_out_by_person === 1 },
    }));
  }
}

/** Whatever is said, an undo takes back its import and nothing else. @returns how many numbers had each end */
export async function play(seed: number, steps = STEPS): Promise<Run["counts"]> {
  const world = await World.create();
  await world.website("brand", { sender: OURS });
  const run = new Run(seed, world, await world.client("brand"));
  for (let step = 0; step < steps; step++) await run.step();
  return run.counts;
}
