import * as z from "zod";
import { MOVE_STATES, type Move } from "../domain/databases/move.ts";
import { jsonObject } from "../domain/fields.ts";
import { inDatabaseOf, inFirst } from "../flows/databases/places.ts";
import { abortMove, findMove, startMove } from "../flows/databases/start-move.ts";
import { authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { listMoves } from "../store/databases/moves.ts";
import type { Answers } from "./answers.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { requireFound, requireWebsite, WEBSITE } from "./params.ts";

const moveRequestSchema = jsonObject({ database: z.string("is required, and must be a string") });

const moveAnswers = {
  Move: z.object({
    websiteId: z.string(),
    state: z
      .enum(MOVE_STATES)
      .describe("Until `done` or `failed`, calls of the website are answered 503, with `Retry-After`."),
    from: z.string().describe("The binding of the database that it leaves."),
    to: z.string(),
    copiedRows: z.int(),
    comparedRows: z.int(),
    totalRows: z
      .int()
      .nullable()
      .describe("Null until they are counted. Rows that follow a message, such as its links, are not counted."),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    problem: z
      .string()
      .nullable()
      .describe("Why it has failed; while it is under way, why its latest job has, which is repeated."),
  }),
};

const moveList = { MoveList: z.object({ moves: z.array(moveAnswers.Move) }) };

export type MoveAnswers = Answers<typeof moveAnswers>;

const SHOWN: Partial<Record<Move["state"], MoveAnswers["Move"]["state"]>> = {
  switched: "comparing",
  aborted: "failed",
};

const MOVE = {
  ...{ websiteId: "brand", state: "copying", from: "DB", to: "DB_2" },
  ...{ copiedRows: 12_000, comparedRows: 0, totalRows: 48_200 },
  ...{ startedAt: TIME, endedAt: null, problem: null },
} satisfies MoveAnswers["Move"];

const BEGUN = { ...MOVE, state: "paused", copiedRows: 0, totalRows: null } as const;

const ABORTED = { ...MOVE, state: "failed", endedAt: TIME, problem: "an operator has aborted it" } as const;

function moveView(move: Move): MoveAnswers["Move"] {
  const { websiteId, source, target, startedAt, endedAt, copiedRows, comparedRows, totalRows, problem } = move;
  const state = SHOWN[move.state] ?? (move.state as MoveAnswers["Move"]["state"]);
  const rows = { copiedRows, comparedRows, totalRows };
  const times = { startedAt: toTime(startedAt), endedAt: toTime(endedAt) };
  return { websiteId, state, from: source, to: target, ...rows, ...times, problem };
}

/** What the command prints about each state. */
const NEXT: Record<MoveAnswers["Move"]["state"], (move: MoveAnswers["Move"]) => string> = {
  paused: ({ websiteId }) =>
    `Its calls answer 503 until it is done, and what comes for it waits. After some three minutes, when nothing is written any more, its rows are copied. To end it: abort-move ${websiteId}`,
  copying: ({ websiteId }) =>
    `Its calls answer 503 until it is done. Next, its rows are compared. To end it: abort-move ${websiteId}`,
  comparing: ({ websiteId }) =>
    `Its calls answer 503 until it is done. Next, its requests lead to the new database. To end it: abort-move ${websiteId}`,
  done: ({ websiteId, from }) =>
    `It is open again. ${from} keeps its old rows for 24 hours. To move it back, with all that was stored since: move-website ${websiteId} --to ${from}`,
  failed: ({ from }) => `It is open again, in ${from}, with all of its rows. What was copied is deleted.`,
};

const next = (move: MoveAnswers["Move"]) => NEXT[move.state](move);
const hasProblem = ({ state }: MoveAnswers["Move"]) => state === "failed";

const start = operatorCall({
  id: "moveWebsite",
  method: "POST",
  path: "/operator/websites/:websiteId/move",
  tag: "Websites",
  summary: "Move a website to another database",
  description:
    "The website is paused meanwhile: its calls get 503 with `Retry-After`, and its jobs and inbound texts wait. After about three minutes, its rows are copied and compared, and then its requests go to the new database. The old rows are deleted a day later. One website moves at a time. If you repeat the call, the move continues.",
  parameters: [WEBSITE],
  body: settingsBody(moveRequestSchema, { second: { database: "DB_2" } }),
  answers: [ok(moveAnswers.Move, "The move has begun, or continues.", BEGUN, 202)],
  errors: ["resource-unknown", "move-refused"],
  command: {
    name: "move-website",
    options: { to: { field: "database", summary: "Name the new database, such as DB_2." } },
    notes: "To move the website back, name its old database.",
    next,
    hasProblem,
  },
  run: async (request, deps) => {
    const own = await inDatabaseOf(deps, { websiteId: request.params.websiteId ?? "" }, true);
    const website = await requireWebsite(request, own);
    const { database } = await readFields(request, moveRequestSchema, BODY_LIMITS.settings);
    const move = await startMove(own, authorOf(request), website, database);
    return moveView(move);
  },
});

const list = operatorCall({
  id: "listMoves",
  method: "GET",
  path: "/operator/moves",
  tag: "Websites",
  summary: "List the moves of websites",
  description: "The last move of each website that is moving, or has moved within the last 24 hours, newest first.",
  answers: [ok(moveList.MoveList, "The moves.", { moves: [MOVE] })],
  command: { name: "moves" },
  run: async (_request, deps) => {
    const found = await listMoves(inFirst(deps).db);
    return { moves: found.sort((a, b) => b.startedAt - a.startedAt).map(moveView) };
  },
});

const get = operatorCall({
  id: "getMove",
  method: "GET",
  path: "/operator/websites/:websiteId/move",
  tag: "Websites",
  summary: "Read how far the move of a website is",
  description: "404 if the website was not moved within the last 24 hours.",
  parameters: [WEBSITE],
  answers: [ok(moveAnswers.Move, "The move.", MOVE)],
  errors: ["resource-unknown"],
  command: { name: "move-status", next, hasProblem },
  run: async (request, deps) => {
    const move = await findMove(deps, request.params.websiteId ?? "");
    return moveView(requireFound(move, "move"));
  },
});

const abort = operatorCall({
  id: "abortMove",
  method: "POST",
  path: "/operator/websites/:websiteId/move/abort",
  tag: "Websites",
  summary: "Abort the move of a website",
  description:
    "The website stays where it is, and is open again. Until its requests lead to the new database; after that, move it back.",
  parameters: [WEBSITE],
  answers: [ok(moveAnswers.Move, "The move is over.", ABORTED)],
  errors: ["resource-unknown", "move-refused"],
  command: { name: "abort-move", next },
  run: async (request, deps) => {
    const move = await abortMove(deps, authorOf(request), request.params.websiteId ?? "");
    return moveView(move);
  },
});

export const moves: Resource = {
  calls: [list, start, get, abort],
  schemas: { MoveRequest: moveRequestSchema, ...moveAnswers, ...moveList },
};
