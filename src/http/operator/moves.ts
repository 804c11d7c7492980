import * as z from "zod";
import { canGoBack, keptUntil, MOVE_STEPS, type MoveStep } from "../../domain/move.ts";
import { inDatabase } from "../../flows/places.ts";
import { type MoveStatus, moveBack, readMoveStatus, startMove } from "../../flows/start-move.ts";
import { authorOf, type Handler } from "../api-request.ts";
import { BODY_LIMITS, readFields } from "../body.ts";
import { toTime } from "../time.ts";
import type { Answers } from "./answers.ts";
import { requireFound, requireWebsite } from "./params.ts";

export const moveRequestSchema = z.strictObject({ database: z.string("Invalid input") }, "Invalid input");

export const moveAnswers = {
  Move: z.object({
    websiteId: z.string(),
    from: z.string().describe("The binding of the database that it leaves."),
    to: z.string(),
    step: z.enum(MOVE_STEPS),
    waitsFor: z.string().nullable().describe("In words; null: for nothing."),
    rowsCopied: z.int().nullable().describe("Null where nothing is being copied."),
    rowsCompared: z.int().nullable(),
    rowsTotal: z.int().nullable().describe("As it began; what follows a message, such as its events, is not counted."),
    logLength: z.int().nullable().describe("Changed rows that are not copied again yet; 100,000 at most."),
    isFenced: z.boolean().describe("Whether writes of the website wait now."),
    startedAt: z.iso.datetime(),
    workedAt: z.iso.datetime().describe("When a job last worked on it."),
    movedAt: z.iso.datetime().nullable().describe("Since then the website is in `to`."),
    canGoBackUntil: z.iso.datetime().nullable(),
    error: z.string().nullable().describe("Of the last job; null: it did what it had to."),
  }),
};

export type MoveAnswers = Answers<typeof moveAnswers>;

const WAITS: Partial<Record<MoveStep, string>> = {
  copy: "the rows to be copied",
  check: "the rows to be compared",
  switch: "the changes of the last moments",
  fence: "the changes of the last moments",
  kept: "24 hours, after which the old rows are deleted",
  clear: "the old rows to be deleted",
  failed: "you: see its error",
};

/** @param status undefined: there is no move */
function moveView(status: MoveStatus | undefined, now: number): MoveAnswers["Move"] {
  const move = requireFound(status, "move");
  const { source, target, startedAt, workedAt, movedAt, home: _, ...same } = move;
  return {
    ...same,
    from: source,
    to: target,
    waitsFor: WAITS[same.step] ?? null,
    startedAt: toTime(startedAt),
    workedAt: toTime(workedAt),
    movedAt: toTime(movedAt),
    canGoBackUntil: toTime(canGoBack(move, now) ? keptUntil(move) : null),
  };
}

/** POST /operator/websites/:websiteId/move */
export const moveWebsiteHandler: Handler = async (request, deps) => {
  const website = await requireWebsite(request, deps);
  const { database } = await readFields(request, moveRequestSchema, BODY_LIMITS.settings);
  await startMove(deps, authorOf(request), website, database);
  return answerMove(deps, website.websiteId);
};

/** POST /operator/websites/:websiteId/move-back */
export const moveBackHandler: Handler = async (request, deps) => {
  const website = await requireWebsite(request, deps);
  await moveBack(deps, authorOf(request), website);
  return answerMove(deps, website.websiteId);
};

/** GET /operator/websites/:websiteId/move */
export const getMoveHandler: Handler = (request, deps) => answerMove(deps, request.params.websiteId ?? "");

async function answerMove(deps: Parameters<Handler>[1], websiteId: string): Promise<Response> {
  return Response.json(moveView(await readMoveStatus(inDatabase(deps), websiteId), deps.now()));
}
