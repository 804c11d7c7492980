import * as z from "zod";
import type { Deps } from "../deps.ts";
import { failField, readTogether } from "../domain/failure.ts";
import { FILE_MARK, writeCsv } from "../domain/people/csv.ts";
import { toE164 } from "../domain/people/phone.ts";
import { audited } from "../flows/operations/audit.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { inQuery, ok, type Resource, timeInQuery } from "../http/call.ts";
import { MESSAGE_ID, PHONE, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { type LedgerEntry, type LedgerPlace, readLedger } from "../store/people/ledger.ts";
import { changeSchema } from "./answers/people.ts";
import { type Answers, personIdShape } from "./answers.ts";
import { csvFile, FILE_ROWS, MOST_FILE_ROWS, pagesAfter } from "./csv-file.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, readChoice, readTime, requireWebsite, WEBSITE } from "./params.ts";
import { changeView } from "./views/person.ts";

const ledgerAnswers = {
  LedgerPage: z.object({
    changes: z.array(z.object({ phone: z.string(), ...personIdShape, ...changeSchema.shape })),
    next: z.string().nullable().describe("The `cursor` of the next page; null: this is the last."),
  }),
};

export type LedgerAnswers = Answers<typeof ledgerAnswers>;

const HEAD = "change_id,at,phone,was_subscribed,subscribed,address_changed,source,proof,consented_at,evidence";

const EVIDENCE = "Checkbox at https://brand.example.com/join";

const CSV = {
  mediaType: "text/csv",
  schema: z.string(),
  example: `${FILE_MARK}${HEAD}\r\n7,"${TIME}","${PHONE}","","true","false","api","${MESSAGE_ID}","${TIME}","${EVIDENCE}"\r\n`,
};

const read = operatorCall({
  id: "readLedger",
  method: "GET",
  path: "/operator/websites/:websiteId/ledger",
  tag: "People",
  summary: "Read the ledger of a website, or export it",
  description: `Every change of a subscription, with what proves it, in the order of time, 100 per page. \`format=csv\` answers all of them as a file, at most ${MOST_FILE_ROWS.toLocaleString("en")} rows, and is in the audit log. An import's changes have the time at which it began: while it goes on, more of that time come. An erased person's changes are not in it.`,
  database: "named",
  parameters: [
    WEBSITE,
    timeInQuery("from", "Changes of this time or later, or since the beginning of this day."),
    timeInQuery("to", "Changes before this time, or before this day. Default: all."),
    inQuery("cursor", "The `next` of the page before. The other parameters stay as they were."),
    inQuery("format", "`csv`: a file.", { enum: ["json", "csv"], default: "json" }),
  ],
  answers: [
    {
      ...ok(ledgerAnswers.LedgerPage, "One page, or the file.", {
        changes: [
          {
            ...{ phone: PHONE, changeId: 7, from: null, to: true, at: TIME, addressChanged: false, source: "api" },
            ...{ proof: MESSAGE_ID, consentedAt: TIME, evidence: EVIDENCE },
          },
        ],
        next: null,
      }),
      other: CSV,
    },
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "ledger",
    columns: { changes: ["at", "phone", "from", "to", "addressChanged", "source", "proof", "consentedAt", "evidence"] },
    options: {
      csv: { field: "format", sets: "csv", summary: "All of them as CSV; npm run -s operator prints nothing else." },
    },
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const { after, until, format } = readTogether({
      after: () => readPlace(request),
      until: () => readTime(request, "to", Number.MAX_SAFE_INTEGER),
      format: () => readChoice(request, "format", ["json", "csv"]),
    });
    if (format === "csv") return exportAll(request, deps, { websiteId, after, until });
    const entries = await readLedger(deps.db, websiteId, after, until, PAGE);
    const last = entries.length === PAGE ? entries.at(-1) : undefined;
    return { changes: entries.map(entryView), next: last ? toCursor(last) : null };
  },
});

const toCursor = ({ changedAt, changeId }: LedgerPlace) => `${changedAt}-${changeId}`;

function readPlace(request: ApiRequest): LedgerPlace {
  const from = readTime(request, "from", 0);
  const cursor = String(request.query.cursor ?? "");
  if (cursor === "") return { changedAt: from, changeId: 0 };
  const [, changedAt, changeId] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor) ?? [];
  if (changeId === undefined) return failField("cursor", "must be the `next` of an earlier page");
  return { changedAt: Number(changedAt), changeId: Number(changeId) };
}

const entryView = ({ phone, ...entry }: LedgerEntry) => ({ phone: toE164(phone), ...changeView(entry) });

interface Asked {
  websiteId: string;
  after: LedgerPlace;
  /** Milliseconds since 1970. */
  until: number;
}

async function exportAll(request: ApiRequest, { ...deps }: Deps, asked: Asked): Promise<Response> {
  const { websiteId, after } = asked;
  // What comes while the file goes out is not in it.
  const until = Math.min(asked.until, deps.now() + 1);
  const readAfter = (place: LedgerPlace) => readLedger(deps.db, websiteId, place, until, FILE_ROWS);
  const entry = { action: "export-ledger", websiteId } as const;
  const span = { from: toTime(after.changedAt), to: toTime(until) };
  const first = await audited(
    deps,
    authorOf(request),
    entry,
    () => readAfter(after),
    () => span,
  );
  return csvFile({ name: `${websiteId}-ledger`, head: HEAD, pages: pagesAfter(first, readAfter), toLine });
}

function toLine({ phone, changeId, wasSubscribed, ...entry }: LedgerEntry): string {
  const { changedAt, subscribed, addressChanged, source, proof, consentedAt = null, evidence = "" } = entry;
  const change = [wasSubscribed === null ? "" : String(wasSubscribed), String(subscribed), String(addressChanged)];
  const shown = [source, proof, toTime(consentedAt) ?? "", evidence];
  return writeCsv([[changeId, toTime(changedAt), toE164(phone), ...change, ...shown]]);
}

export const ledger: Resource = { calls: [read], schemas: ledgerAnswers };
