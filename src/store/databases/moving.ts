// The table `moving` says which websites are not open in a database. Its rows are never deleted, so an isolate that still looks for a website
// here learns that it has left.
import { runBatch, runQuery } from "../database.ts";
import { prepare, type Sql, sql } from "../sql.ts";

/**
 * The state of a website in a database. A website without a row is `here`, if the database has it at all. Work on all websites leaves
 * out those that are paused or not here; whatever is counted or listed leaves out those that are not here.
 */
export const STATE = { here: 0, paused: 1, arriving: 2, left: 3 } as const;

type WebsiteState = (typeof STATE)[keyof typeof STATE];

/** The version and the home in the ids of a website, as the column id_part has them: ids of version 4 have none. */
export const idPartOf = (home: number) => `7${home.toString(16).padStart(5, "0")}`;

/** The websites that are not open in a database, by home. */
export type Closed = ReadonlyMap<number, WebsiteState>;

/** Reads a row for each website that has ever left the database. */
export async function readClosed(db: D1Database): Promise<Closed> {
  const query = prepare(db, sql`SELECT home, state FROM moving WHERE state > ${STATE.here}`);
  return new Map(
    (await runQuery<{ home: number; state: WebsiteState }>(query)).map(({ home, state }) => [home, state]),
  );
}

/** Whether a website of the database is on the move. A purge of old rows would make the two sides of the move differ. */
export async function isMoving(db: D1Database): Promise<boolean> {
  const query = prepare(db, sql`SELECT 1 FROM moving WHERE state IN (${STATE.paused}, ${STATE.arriving}) LIMIT 1`);
  return (await runQuery(query)).length > 0;
}

interface MovingWebsite {
  websiteId: string;
  home: number;
  /** Names the move. */
  startedAt: number;
}

/**
 * Sets the state of the website in the database, for one move. A late call changes nothing that the same move or a later one has set
 * since: a move first sets `paused` or `arriving`, and then `here` or `left`.
 */
export async function setState(db: D1Database, website: MovingWebsite, state: WebsiteState): Promise<void> {
  const { websiteId, home, startedAt } = website;
  const isEnd = state === STATE.here || state === STATE.left ? 1 : 0;
  await runBatch(db, [
    prepare(
      db,
      sql`INSERT INTO moving (home, website_id, id_part, state, run, turn)
        VALUES (${home}, ${websiteId}, ${idPartOf(home)}, ${state}, ${startedAt}, 0)
        ON CONFLICT DO UPDATE SET state = excluded.state, run = excluded.run, turn = 0
        WHERE moving.run < excluded.run OR (moving.run = excluded.run AND ${isEnd} = 1)`,
    ),
  ]);
}

/** Begins the next turn of a move in the target. A late write of an earlier turn changes nothing from now on. */
export async function setTurn(db: D1Database, { home, startedAt }: MovingWebsite, turn: number): Promise<void> {
  await runBatch(db, [
    prepare(
      db,
      sql`UPDATE moving SET turn = ${turn}
        WHERE home = ${home} AND run = ${startedAt} AND state = ${STATE.arriving} AND turn < ${turn}`,
    ),
  ]);
}

/** The turn of a move in which rows are written, and the state of the website in the database during that turn. */
export interface Turn {
  home: number;
  startedAt: number;
  state: WebsiteState;
  turn: number;
}

/** Condition on what a move writes: it is still this turn. */
export function isTurn({ home, startedAt, state, turn }: Turn): Sql {
  return sql`EXISTS (SELECT 1 FROM moving v
    WHERE v.home = ${home} AND v.run = ${startedAt} AND v.state = ${state} AND v.turn = ${turn})`;
}
