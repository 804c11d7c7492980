// The service, stopped at a named point of a move: before or after one call of a database. What runs there goes no further, until
// the process is killed. Only the trial of moves runs this.
import { TIMES } from "../../src/domain/databases/move.ts";
import service from "../../src/index.ts";

export * from "../../src/index.ts";

interface Asked {
  sql: string;
  values: unknown[];
  original: D1PreparedStatement;
}

const asked = new WeakMap<D1PreparedStatement, Asked>();

/** @param sql with `?` for each value, whatever its number: equal values have one */
const isAsked =
  (sql: string, isRight: (values: unknown[]) => boolean = () => true) =>
  (statements: Asked[]) =>
    statements.some(
      (statement) => statement.sql.replaceAll(/\?\d+/g, "?").includes(sql) && isRight(valuesInOrder(statement)),
    );

/** A value for each place of the statement that has one. */
const valuesInOrder = ({ sql, values }: Asked) =>
  [...sql.matchAll(/\?(\d+)/g)].map(([, place]) => values[Number(place) - 1]);

/** See setState: what a website becomes in a database. */
const becomes = (state: number) => isAsked("INSERT INTO moving", (values) => values[3] === state);

/** See saveMove. */
const reaches = (state: string) => isAsked("UPDATE moves SET state = ?", (values) => values[0] === state);

type Point = readonly [when: "before" | "after", isThere: (statements: Asked[]) => boolean];

/** In the order of a move. The last is in the database that is cleared a day later. */
const POINTS: Record<string, Point> = {
  "paused: the source is told": ["before", becomes(1)],
  "paused: the target has heard it": ["after", becomes(2)],
  "copying: a page is read": ["before", isAsked("INSERT OR REPLACE INTO subscriptions")],
  "copying: a page is stored": ["after", isAsked("INSERT OR REPLACE INTO subscriptions")],
  "comparing: a page is compared": ["before", reaches("comparing")],
  "comparing: all are compared": ["before", isAsked("INSERT INTO client_homes (client_id, home) SELECT")],
  "comparing: the directory leads on": ["before", isAsked("UPDATE homes SET database")],
  "switched: the directory has led on": ["after", isAsked("UPDATE homes SET database")],
  "switched: the target is told": ["before", becomes(0)],
  "switched: the target has heard it": ["after", becomes(0)],
  "switched: the source has let it go": ["after", becomes(3)],
  "done: it is told": ["before", reaches("done")],
  "clear: rows are deleted": ["after", isAsked("DELETE FROM subscriptions WHERE (website_id,phone) IN")],
};

/** The service is killed every minute or so, and its calls take milliseconds: a move need not wait for two minutes here. */
Object.assign(TIMES, { leaseMilliseconds: 2000, longestWorkMilliseconds: 25_000, lateCallMilliseconds: 3000 });

/** The point at which the service stops, or alters the rows of a website in a database. */
let armed: { at: string; alter: string | null; websiteId: string | null } | undefined;
let isReached = false;

let aheadMilliseconds = 0;
const now = Date.now.bind(Date);
Date.now = () => now() + aheadMilliseconds;

/** Longer than the trial looks at it. */
const FOR_EVER_MILLISECONDS = 3_600_000;

async function passPoint(env: Env, when: Point[0], statements: Asked[]): Promise<void> {
  const [due, isThere] = POINTS[armed?.at ?? ""] ?? [];
  if (!armed || due !== when || !isThere?.(statements)) return;
  const { alter, websiteId } = armed;
  armed = undefined;
  if (alter === null) {
    isReached = true;
    await scheduler.wait(FOR_EVER_MILLISECONDS);
  }
  const target = (env as unknown as Record<string, D1Database>)[alter ?? ""] as D1Database;
  await target
    .prepare("UPDATE subscriptions SET subscribed = 1 - subscribed WHERE website_id = ?1")
    .bind(websiteId)
    .run();
  isReached = true;
}

function withPoints(env: Env, database: D1Database): D1Database {
  const call = async (statements: D1PreparedStatement[]) => {
    const own = statements.map((it) => asked.get(it) as Asked);
    await passPoint(env, "before", own);
    const results = await database.batch(own.map(({ original }) => original));
    await passPoint(env, "after", own);
    return results;
  };
  const wrap = (original: D1PreparedStatement, sql: string, values: unknown[]): D1PreparedStatement => {
    const all = async () => (await call([statement]))[0];
    const bind = (...given: unknown[]) => wrap(original.bind(...given), sql, given);
    const statement = { all, run: all, bind } as unknown as D1PreparedStatement;
    asked.set(statement, { sql, values, original });
    return statement;
  };
  return { prepare: (sql: string) => wrap(database.prepare(sql), sql, []), batch: call } as unknown as D1Database;
}

/** The service keeps what it knows by its environment: there is one of each. */
const environments = new WeakMap<Env, Env>();

function pointed(env: Env): Env {
  const known = environments.get(env);
  if (known) return known;
  const databases = Object.entries(env).filter(([name]) => /^DB(_\d+)?$/.test(name));
  const wrapped = databases.map(([name, database]) => [name, withPoints(env, database as D1Database)]);
  const own = { ...env, ...Object.fromEntries(wrapped) } as Env;
  environments.set(env, own);
  return own;
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/stop") return service.fetch(request, pointed(env), context);
    const at = searchParams.get("at");
    if (at !== null) {
      if (!(at in POINTS)) return new Response(null, { status: 400 });
      isReached = false;
      armed = { at, alter: searchParams.get("alter"), websiteId: searchParams.get("website") };
    }
    aheadMilliseconds += Number(searchParams.get("ahead"));
    return Response.json({ isReached, points: Object.keys(POINTS) });
  },
  queue: (batch, env, context) => service.queue(batch, pointed(env), context),
  scheduled: (event, env, context) => service.scheduled(event, pointed(env), context),
} satisfies ExportedHandler<Env>;
