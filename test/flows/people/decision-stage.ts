// What a part of the changes of a website does to its numbers, against the rules in plain words. Nothing here is taken from the statement.
import { expect } from "vitest";
import { FigureCounter } from "../../../src/domain/people/import-figures.ts";
import { beforeEach as readingTombstones } from "../../../src/flows/people/change-subscriptions.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { changeSubscriptions } from "../../../src/store/people/change-subscriptions.ts";
import type { Target } from "../../../src/store/people/part-decision.ts";
import { Random } from "../../random.ts";
import { World } from "../../world.ts";
import { type Change, type Counted, Model, type Request } from "./decision-model.ts";

const OURS = "+12125550000";
/** Three numbers of one form, and two of which each is the other form of the next. */
const PHONES = [12125550100, 12125550101, 12125550102, 5491123456789, 541123456789, 5511987654321, 551187654321];
const ADDRESSES = [null, null, "a@example.com", "b@example.com"];
const CONSENTS = [
  undefined,
  undefined,
  { consentedAt: 1, evidence: null },
  { consentedAt: 1, evidence: "a list" },
  { consentedAt: 2, evidence: "a form" },
];
const LISTS = ["newSubscribed", "newOptedOut", "becameSubscribed", "becameOptedOut", "newAddress"] as const;

class Run {
  readonly #random: Random;
  readonly #world: World;
  readonly #model = new Model();
  readonly #imports: Request[] = [];
  readonly counts = { rows: 0, refused: 0, told: 0, repeated: 0, joined: 0 };
  #ids = 0;

  constructor(seed: number, world: World) {
    this.#random = new Random(seed);
    this.#world = world;
  }

  async step(): Promise<void> {
    this.#world.now += 1000;
    const what = this.#random.weighted({ part: 10, stop: 2, start: 1, erase: 1 });
    if (what === "part") await this.#part();
    else if (what === "erase") await this.#erase();
    else if (what === "stop") await this.#stop();
    else await this.#start();
    expect(await this.#stored(), what).toEqual(this.#model.stored());
  }

  #changes(): Change[] {
    const chance = this.#random.pick([0.2, 0.5, 1]);
    return this.#random
      .shuffle([...PHONES])
      .filter(() => this.#random.chance(chance))
      .map((phone) => {
        const consent = this.#random.pick(CONSENTS);
        const said = { phone, subscribed: this.#random.chance(0.6), email: this.#random.pick(ADDRESSES) };
        return consent ? { ...said, consent } : said;
      });
  }

  #request(): Request {
    const { now } = this.#world;
    const before = this.#random.chance(0.5) ? this.#random.pick(this.#imports) : undefined;
    if (before) return { ...before, isJoined: true, begunAt: now - this.#random.pick([0, 2500, 9000]), now };
    const mode = this.#random.pick(["call", "keep", "resubscribe"] as const);
    const request = { mode, isJoined: false, proof: `request-${++this.#ids}`, begunAt: now, now };
    if (mode !== "call") this.#imports.push(request);
    return request;
  }

  async #part(): Promise<void> {
    const [request, given] = [this.#request(), this.#changes()];
    // As an import does: within a file an opt-out wins, in either form of a number.
    const changes = request.mode === "call" ? given : new FigureCounter().withOptOuts(given);
    if (changes.length === 0) return;
    const dry = request.mode === "call" ? null : await this.#change(request, changes, true);
    const latest = await this.#latestId();
    const expected = this.#model.apply(request, changes);
    const real = await this.#change(request, changes, false, latest);
    expect(real).toEqual(expected.counted);
    if (dry) expect(dry).toEqual(expected.counted);
    this.counts.rows += expected.written.length;
    this.counts.refused += expected.counted.refused.length;
    this.counts.joined += request.isJoined ? 1 : 0;
    await this.#expectTold(request, expected.told);
    if (this.#random.chance(0.3)) await this.#repeat(request, changes, expected.written, latest);
  }

  /** Somebody else speaks, and the transaction is tried again: nothing changes once more, and nothing is overturned. */
  async #repeat(request: Request, changes: Change[], written: number[], latest: number): Promise<void> {
    if (written.length === 0) return;
    const phone = this.#random.pick(written);
    const said = { phone, subscribed: !this.#model.isSubscribed(phone), email: null };
    const other = {
      ...request,
      mode: "call",
      isJoined: false,
      proof: `request-${++this.#ids}`,
      now: ++this.#world.now,
    };
    this.#model.apply(other as Request, [said]);
    await this.#change(other as Request, [said], false);
    await this.#change(request, changes, false, latest);
    this.counts.repeated += 1;
  }

  async #change(request: Request, changes: Change[], isDry: boolean, latestId = 0): Promise<Counted> {
    const { mode, isJoined, proof, begunAt, now } = request;
    const source = mode === "call" ? ("api" as const) : ("import" as const);
    const run = { isDry, isJoined, resubscribes: mode === "resubscribe", latestId, begunAt };
    const { deps } = this.#world;
    let transactions = 0;
    const target: Target = {
      ...{ db: deps.db, websiteId: "brand", origin: { source, proof, now }, due: [] },
      newRun: mode === "call" ? () => `${proof}.${++transactions}` : null,
      import: mode === "call" ? null : run,
    };
    if (mode !== "call")
      await this.#world.rows(
        `INSERT INTO imports (import_id, website_id, resubscribes, after_id, last_id, operator, begun_at)
         VALUES (?1, 'brand', 0, 0, 0, '', 0) ON CONFLICT DO NOTHING`,
        proof,
      );
    const { refused, ...lists } = await changeSubscriptions(target, changes, readingTombstones(deps, "brand"));
    const sorted = LISTS.map((list) => [list, [...new Set(lists[list])].toSorted()]);
    return { ...Object.fromEntries(sorted), refused: refused.toSorted((a, b) => a.phone - b.phone) } as Counted;
  }

  async #latestId(): Promise<number> {
    const [row] = await this.#world.rows("SELECT coalesce(max(change_id), 0) AS id FROM subscription_changes");
    return Number(row?.id);
  }

  async #expectTold({ proof }: Request, told: [number, boolean][]): Promise<void> {
    const rows = await this.#world.rows(
      "SELECT phone, body ->> '$.subscribed' AS subscribed FROM events WHERE message_id LIKE ?1 AND body IS NOT NULL",
      `${proof}.%`,
    );
    const found = rows.map(({ phone, subscribed }) => [phone, subscribed === 1]);
    expect(found.sort()).toEqual(told.sort());
    this.counts.told += told.length;
  }

  /** A STOP opts out one form alone: a person may have sent it before the other was stored. */
  async #stop(): Promise<void> {
    const [phone, { now }] = [this.#random.pick(PHONES), this.#world];
    await this.#world.rows(
      `INSERT INTO subscription_changes (website_id, phone, was_subscribed, subscribed, changed_at, source, proof)
       SELECT 'brand', ?1, (SELECT subscribed FROM subscriptions WHERE phone = ?1), 0, ?2, 'keyword', 'STOP'
       WHERE NOT EXISTS (SELECT 1 FROM subscriptions WHERE phone = ?1 AND opted_out_by_person = 1)`,
      phone,
      now,
    );
    await this.#world.rows(
      `INSERT INTO subscriptions (website_id, phone, subscribed, change_id, opted_out_by_person, opted_out_at)
       SELECT 'brand', ?1, 0, max(change_id), 1, ?2 FROM subscription_changes WHERE phone = ?1
       ON CONFLICT DO UPDATE SET subscribed = 0, change_id = excluded.change_id, opted_out_by_person = 1, opted_out_at = ?2`,
      phone,
      now,
    );
    this.#model.text("STOP", phone, now);
  }

  async #start(): Promise<void> {
    const phone = this.#random.pick(PHONES.slice(0, 3));
    const text = { from: `+${phone}`, to: [OURS], text: "START", keyword: null, answeredByCarrier: false };
    const inbound = { ...text, carrierMessageId: `in-${++this.#ids}` };
    await this.#world.invoke("fetch", () => receiveInbound(this.#world.deps, "sandbox", inbound));
    this.#model.text("START", phone, this.#world.now);
  }

  async #erase(): Promise<void> {
    const phone = this.#random.pick(PHONES);
    await this.#world.operator("DELETE", `/websites/brand/people/+${phone}`);
    this.#model.erase(phone);
  }

  /** Rows of the ledger go by their places among those of their number. */
  async #stored() {
    const rows = await this.#world.rows("SELECT * FROM subscription_changes ORDER BY phone, change_id");
    const places = new Map<unknown, number>();
    for (const [index, { change_id, phone }] of rows.entries())
      places.set(change_id, index - rows.findIndex((row) => row.phone === phone));
    const people = await this.#world.rows("SELECT * FROM subscriptions ORDER BY phone");
    return {
      people: people.map(({ phone, subscribed, email, opted_out_by_person, opted_out_at, change_id }) => ({
        ...{ phone, subscribed: subscribed === 1, email, stopped: opted_out_by_person === 1, optedOutAt: opted_out_at },
        row: places.get(change_id),
      })),
      ledger: rows.map((row) => ({
        ...{ phone: row.phone, was: row.was_subscribed === null ? null : row.was_subscribed === 1 },
        ...{ subscribed: row.subscribed === 1, at: row.changed_at, proof: row.proof, source: row.source },
        ...{ wasEmail: row.was_email, before: row.before_id === null ? null : places.get(row.before_id) },
        consent: { consentedAt: row.consented_at, evidence: row.evidence },
      })),
    };
  }
}

/** @returns how often each happened */
export async function play(seed: number, steps: number): Promise<Run["counts"]> {
  const world = await World.create();
  await world.website("brand", { sender: OURS });
  await world.client("brand", { callbackUrl: "https://brand.example.com/", events: ["subscription.changed"] });
  const run = new Run(seed, world);
  for (let step = 0; step < steps; step++) await run.step();
  return run.counts;
}
