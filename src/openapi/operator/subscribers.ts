import * as z from "zod";
import { MOST_ROWS } from "../../domain/people/subscriber-file.ts";
import { BODY_LIMITS } from "../../http/body.ts";
import { subscriberAnswers } from "../../http/operator/subscribers.ts";
import { MESSAGE_ID, PHONE } from "../examples.ts";
import { type ApiOperation, ok, type Parameter, pathParameter } from "../operation.ts";
import { type Resource, WEBSITE_PARAMETER } from "./resource.ts";

export function describeSubscribers(): Resource {
  const importSubscribers: ApiOperation = {
    id: "importSubscribers",
    method: "post",
    path: "/operator/websites/{websiteId}/subscribers",
    tag: "People",
    access: "operator",
    summary: "Import subscribers",
    description: `The file is stored as it comes in, at most ${MOST_ROWS} rows a request. A larger file is cut: each piece begins with the first line of the file, and goes with the \`importId\` that the first piece was answered with, one piece after the other. So the pieces are one import. Invalid phone numbers and e-mail addresses are left out, and listed with line and reason. A file is rejected that has more than 100,000 of them, a word in the column \`subscribed\` that is neither true nor false, or a column such as \`status\`, \`opt_in\` or \`unsubscribed\` and none headed \`subscribed\`. Where the rows of a number differ, an opt-out counts, whatever their order, also in another piece; its address is the last that is given. An import subscribes nobody whom anyone has unsubscribed: \`keptUnsubscribed\` counts them. With \`resubscribe=true\` it does, but for those who opted out themselves: only START brings them back. An error that comes when rows may have been stored has \`import\`, with the id for an undo or to go on, and how many rows of this file are stored. To send stored rows again changes nothing.`,
    parameters: [WEBSITE_PARAMETER, DRY_RUN, RESUBSCRIBE, IMPORT_ID],
    body: {
      mediaTypes: ["text/csv"],
      schema: z.string(),
      description:
        "CSV with the columns `phone_numbers`, and optionally `email` (an empty cell keeps the present address) and `subscribed` (default `true`), as `csv_file` of `POST /text/subscription/status` may be: commas, semicolons or tabs, UTF-8, or UTF-16 with its byte order mark.",
      limitBytes: BODY_LIMITS.subscribers,
      examples: { two: `phone_numbers,email,subscribed\n${PHONE},ada@example.com,true\n+12125550101,,false\n` },
    },
    answers: [
      ok(subscriberAnswers.ImportAnswer, "How many numbers were imported, and which were not.", {
        importId: MESSAGE_ID,
        columns: { phone: "phone_numbers", email: "email", subscribed: "subscribed" },
        imported: 2,
        new: 1,
        changed: 1,
        unchanged: 0,
        keptUnsubscribed: 0,
        invalidPhoneNumbers: [],
      }),
    ],
    errors: ["resource-unknown", "import-closed"],
  };
  return { operations: [importSubscribers, undoImport()], schemas: subscriberAnswers };
}

const DRY_RUN: Parameter = {
  name: "dryRun",
  in: "query",
  required: false,
  description: "true: counts what the import would change, and stores nothing.",
  schema: { type: "boolean", default: false },
};

const RESUBSCRIBE: Parameter = {
  name: "resubscribe",
  in: "query",
  required: false,
  description:
    "true: also subscribes numbers that a client, an import or an operator has unsubscribed. Whoever opted out themselves stays opted out.",
  schema: { type: "boolean", default: false },
};

const IMPORT_ID: Parameter = {
  name: "importId",
  in: "query",
  required: false,
  description:
    "Adds the file to this import, which an earlier request into the same website has begun with the same `resubscribe`. The answer has the figures of this request. An import that was undone takes no more rows: 40901.",
  schema: { type: "string", format: "uuid" },
};

function undoImport(): ApiOperation {
  return {
    id: "undoImport",
    method: "post",
    path: "/operator/imports/{importId}/undo",
    tag: "People",
    access: "operator",
    summary: "Undo an import",
    description:
      "Each number is again what it was before the import (state, address; unknown if it was new), unless somebody has set it since, even to the same: an opt-out after the import always holds. It takes back what all requests of the import have stored, and closes the import: a request that still goes on ends with 40901. Repeating it restores nothing more. Nobody is told, as of the import.",
    parameters: [
      pathParameter("importId", "`importId` of the import.", { type: "string", format: "uuid" }, MESSAGE_ID),
    ],
    answers: [
      ok(subscriberAnswers.UndoneImport, "How many numbers were restored.", {
        restored: 2,
        changedSince: 0,
        restoredBefore: 0,
        isComplete: true,
      }),
    ],
    errors: ["resource-unknown"],
  };
}
