import * as z from "zod";
import { figuresShape } from "../../domain/messages/outcome-class.ts";

export const TOO_MANY = "null: a database has more pending messages than are looked at: 50,000.";

/** The fields of Traffic in an answer. */
export const trafficShape = {
  ...figuresShape,
  scheduled: figuresShape.scheduled
    .nullable()
    .describe(`Pending: their own time or their sending hours are ahead. ${TOO_MANY}`),
  waiting: figuresShape.waiting.nullable().describe(`Pending: the others, held ones included. ${TOO_MANY}`),
  held: z.int().nullable().describe(`Those among \`waiting\` that an operator holds. ${TOO_MANY}`),
};
