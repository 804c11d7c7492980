// The body of every error.
import * as z from "zod";

export const errorSchema = z.object({
  code: z.int(),
  message: z.string().describe("For a person; its wording may change."),
  details: z
    .array(
      z.object({
        field: z.string().describe("Such as `phone` or `phone_numbers[3]`."),
        message: z.string(),
        messageId: z.string().optional().describe("Of a message of a bulk request that is stored."),
        count: z.int().optional().describe("Of `expected`: the count of now."),
      }),
    )
    .optional()
    .describe("One item for each field that breaks a rule, or is stored."),
  import: z
    .object({
      importId: z.uuid(),
      storedRows: z
        .int()
        .describe("Of the file of this request, from its first row on: at least so many rows are stored."),
    })
    .optional()
    .describe("Of an import that broke off when rows of it may have been stored: an undo takes them back."),
  requestId: z.string().describe("As in `X-Request-Id`: the log of the service has the request under it."),
});
