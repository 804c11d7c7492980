import * as z from "zod";
import { MOVE_STATES, type Move } from "../../domain/databases/move.ts";
import { inDatabaseOf } from "../../flows/databases/places.ts";
import { abortMove, findMove, startMove } from "../../flows/databases/start-move.ts";
import { authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, readFields } from "../body.ts";
import { toTime } from "../time.ts";
import type { Answers } from "./answers.ts";
import { requireFound, requireWebsite } from "./params.ts";

export const moveRequestSchema = z.strictObject({ database: z.string("Invalid input") }, "Invalid input");

export const moveAnswers = {
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
      .describe("Null until they are counted. What follows a message, such as its links, is not counted."),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    problem: z
      .string()
      .nullable()
      .describe("Why it has failed; while it is under way, why its latest job has, which is repeated."),
  }),
};

export type MoveAnswers = Answers<typeof moveAnswers>;

const SHOWN: Partial<Record<Move["state"], MoveAnswers["Move"]["state"]>> = {
  switched: "comparing",
  aborted: "failed",
};

function moveView(move: Move): MoveAnswers["Move"] {
  const { websiteId, source, target, startedAt, endedAt, copiedRows, comparedRows, totalRows, problem } = move;
  const state = SHOWN[move.state] ?? (move.state as MoveAnswers["Move"]["state"]);
  const rows = { copiedRows, comparedRows, totalRows };
  const times = { startedAt: toTime(startedAt), endedAt: toTime(endedAt) };
  return { websiteId, state, from: source, to: target, ...rows, ...times, problem };
}

/** POST /operator/websites/:websiteId/move : also of a website that is paused */
export const moveWebsiteHandler: Handler = async (request, deps) => {
  const own = await inDatabaseOf(deps, { websiteId: request.params.websiteId ?? "" }, true);
  const website = await requireWebsite(request, own);
  const { database } = await readFields(request, moveRequestSchema, BODY_LIMITS.settings);
  const move = await startMove(own, authorOf(request), website, database);
  return Response.json(moveView(move), { status: 202 });
};

/** POST /operator/websites/:websiteId/move/abort */
export const abortMoveHandler: Handler = async (request, deps) => {
  const move = await abortMove(deps, authorOf(request), request.params.websiteId ?? "");
  return Response.json(moveView(move));
};

/** GET /operator/websites/:websiteId/move */
export const getMoveHandler: Handler = async (request, deps) => {
  const move = await findMove(deps, request.params.websiteId ?? "");
  return Response.json(moveView(requireFound(move, "move")));
};
