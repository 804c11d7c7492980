// Pure. Websites and their databases, from the request to the last callback.
import { Random } from "../../test/random.ts";
import { Callbacks } from "./callbacks.ts";
import { Database } from "./database.ts";
import { Deliveries } from "./deliveries.ts";
import { Events } from "./events.ts";
import { LIMIT, type Model, SERVICE, STATEMENTS, statementsOf } from "./model.ts";
import { countWebsites } from "./placement.ts";
import { Receipts } from "./receipts.ts";
import { Route } from "./route.ts";
import { Samples } from "./samples.ts";
import { Sends } from "./sends.ts";

/** What belongs to one database. */
interface Home {
  database: Database;
  deliveries: Deliveries;
  receipts: Receipts;
  callbacks: Callbacks;
}

export class World {
  readonly model: Model;
  readonly events = new Events();
  readonly route: Route;
  /** Of sends, from the request to its answer. */
  readonly samples = new Samples();
  /** Sends, and callbacks that are posted and recorded. */
  refused = 0;
  through = 0;
  readonly #random: Random;
  readonly #homes: Home[];
  readonly #sends: Sends[];
  /** By isolate: the messages whose job is queued in a moment. */
  readonly #gathered = new Map<number, number[]>();

  constructor(model: Model) {
    this.model = model;
    this.route = new Route(model.homes);
    this.#random = new Random(model.seed);
    const counts = countWebsites(model.homes, model.databases);
    this.#homes = counts.map((websites, home) => this.#makeHome(home, Math.max(1, websites)));
    this.#sends = model.homes.map((_, website) => new Sends(this, website));
    this.#startArrivals();
  }

  #makeHome(home: number, websites: number): Home {
    const { consumers, price, rate } = this.model;
    const most = Math.ceil(consumers * Math.max(1, (websites * rate) / LIMIT));
    return {
      database: new Database(this.events, price),
      deliveries: new Deliveries(this, home, most),
      receipts: new Receipts(this, home, most),
      callbacks: new Callbacks(this, home, most),
    };
  }

  database(home: number): Database {
    return this.#home(home).database;
  }

  databaseOf(website: number): Database {
    return this.database(this.route.homeOf(website));
  }

  /** What waits for a database, or for a consumer of its queues: sends, messages, receipts and callbacks. */
  waiting(): number {
    const queued = this.#homes.map(
      (home) => home.deliveries.consumers.waiting + home.receipts.waiting + home.callbacks.consumers.waiting,
    );
    const sends = this.#sends.map(({ unanswered }) => unanswered);
    return [...queued, ...sends].reduce((sum, count) => sum + count, 0);
  }

  /** @param group when each arrived at the object */
  stored(website: number, group: number[]): void {
    const wayToObject = 2 * this.model.price.network;
    for (const arrived of group) this.samples.add(website, arrived, this.events.now - arrived + wayToObject);
    if (typeof this.model.arrivals === "number" && this.events.now < this.model.arrivesUntil) {
      for (const _ of group) this.events.after(wayToObject, () => this.#sendNext());
    }
    if (this.model.delivers) this.#gather(website, group.length);
  }

  queueDeliveries(websites: number[]): void {
    this.#queue(websites, (home, own) => {
      for (let start = 0; start < own.length; start += SERVICE.idsAJob) {
        this.#home(home).deliveries.consumers.add(own.slice(start, start + SERVICE.idsAJob));
      }
    });
  }

  queueReceipts(websites: number[], isLast: boolean): void {
    this.#queue(websites, (home, own) => this.#home(home).receipts.add(own, isLast));
  }

  queueCallbacks(websites: number[]): void {
    this.#queue(websites, (home, own) => {
      for (let start = 0; start < own.length; start += SERVICE.idsAJob) {
        this.#home(home).callbacks.consumers.add(own.slice(start, start + SERVICE.idsAJob));
      }
    });
  }

  #queue(websites: number[], add: (home: number, own: number[]) => void): void {
    if (websites.length === 0) return;
    this.events.after(this.model.price.network, () => this.route.byHome(websites, add));
  }

  #home(home: number): Home {
    return this.#homes[home] as Home;
  }

  #gather(website: number, count: number): void {
    const isolate = this.model.sharesIsolate ? 0 : website;
    const gathered = this.#gathered.get(isolate);
    if (gathered) {
      for (let index = 0; index < count; index++) gathered.push(website);
      return;
    }
    this.#gathered.set(isolate, new Array<number>(count).fill(website));
    this.events.after(this.model.price.network + SERVICE.gatheringMilliseconds, () => {
      const websites = this.#gathered.get(isolate) ?? [];
      this.#gathered.delete(isolate);
      this.queueDeliveries(websites);
    });
  }

  #startArrivals(): void {
    const { arrivals, homes, rate } = this.model;
    if (arrivals === "random") for (const website of homes.keys()) this.#arriveRandomly(website);
    else if (arrivals === "even") this.#arriveEvenly(1000 / (rate * homes.length));
    else for (let connection = 0; connection < arrivals; connection++) this.#sendNext();
  }

  #arriveRandomly(website: number): void {
    const arrive = () => {
      if (this.events.now >= this.model.arrivesUntil) return;
      if (this.#random.chance(this.model.lookUps)) this.#lookUp(website);
      else this.#send(website);
      this.events.after(this.#gap(), arrive);
    };
    this.events.after(this.#gap(), arrive);
  }

  /** Between two requests of a website. */
  #gap(): number {
    return (-Math.log(1 - this.#random.next()) * 1000) / this.model.rate;
  }

  #arriveEvenly(gap: number): void {
    if (this.events.now >= this.model.arrivesUntil) return;
    this.#sendNext();
    this.events.after(gap, () => this.#arriveEvenly(gap));
  }

  #next = 0;

  #sendNext(): void {
    this.#send(this.#next++ % this.model.homes.length);
  }

  #send(website: number): void {
    (this.#sends[website] as Sends).arrive();
  }

  /** Reads go on behind a fence. */
  #lookUp(website: number): void {
    this.databaseOf(website).call(false, statementsOf(STATEMENTS.lookUp, 1), () => {});
  }
}
