// Pure. What the simulation takes for granted. docs/measurements.md says of each number whether it is measured, documented or assumed.

/** How long the statements of a call keep the thread busy, milliseconds: so long, and so long for each message, receipt or row. */
export interface Statements {
  call: number;
  each: number;
}

/** Besides its statements, what a call costs: milliseconds. */
export interface Price {
  writingCall: number;
  readingCall: number;
  /** One way to a database, to an object or to a queue. */
  network: number;
}

export interface Model {
  seed: number;
  price: Price;
  /** Of each website: its database. */
  homes: number[];
  databases: number;
  /** Of each website, requests a second. */
  rate: number;
  /** The share of look-ups of one number among the requests; the others are sends. */
  lookUps: number;
  /** Whether the object of a website stores together what arrives while it writes. */
  isGrouped: boolean;
  /** false: sends are stored, and nothing else becomes of them. */
  delivers: boolean;
  /** Of each queue of a database, batches at a time: so many, and as many for each 300 requests a second. */
  consumers: number;
  /** Whether all requests reach one isolate, which gathers their jobs; else each website has one. */
  sharesIsolate: boolean;
  /** "random": Poisson; "even": the websites send in turn, at even distances; a number: so many connections send once they are answered. */
  arrivals: "random" | "even" | number;
  /** Milliseconds since the run began. */
  arrivesUntil: number;
}

/** Milliseconds. These, the consumers and OUTSIDE are as `npm run bench -- --edge` has them. */
export const NETWORK_MILLISECONDS = 5;
export const READING_CALL_MILLISECONDS = 0.7;

/** Of src/flows and wrangler.toml: the calls of each flow follow from these, and the table of D1 calls in docs/measurements.md. */
export const SERVICE = {
  sendsAGroup: 100,
  mostWaitingSends: 1000,
  gatheringMilliseconds: 10,
  idsAJob: 25,
  jobsABatch: 10,
  connections: 5,
  /** Ids of a claim of deliveries: the first, and those after a claim that took no longer than this. */
  firstClaim: 10,
  fastClaim: 20,
  fastMilliseconds: 500,
  deliveryRunMilliseconds: 8000,
  receiptsABatch: 100,
  receiptsWaitMilliseconds: 1000,
  callbacksAClaim: 24,
  callbackWaitMilliseconds: 1000,
};

export const CONSUMERS = 10;
/** The fewest of these with which the callbacks of 300 requests a second are not late. */
export const FEWER_CONSUMERS = 7;
/** What they are for: the limit of a website, requests a second. */
export const LIMIT = 300;

/** Milliseconds. Receipts come so long after the submission: the text is sent, it is delivered. */
export const OUTSIDE = { carrier: 100, endpoint: 50, sentAfter: 600, deliveredAfter: 1600 };

/** Measured; see docs/measurements.md. */
export const STATEMENTS = {
  send: { call: 0.3, each: 0.03 },
  find: { call: 0.3, each: 0.005 },
  /** Of a claim, and of the outcomes that are recorded with it: deliveries and callbacks. */
  claim: { call: 0.3, each: 0.015 },
  receipt: { call: 0.3, each: 0.02 },
  lookUp: { call: 0.3, each: 0 },
} satisfies Record<string, Statements>;

export const statementsOf = ({ call, each }: Statements, count: number): number => call + each * count;
