import * as z from "zod";
import type { Deps } from "../deps.ts";
import { failField, readTogether } from "../domain/failure.ts";
import { FILE_MARK, writeCsv } from "../domain/people/csv.ts";
import { toE164 } from "../domain/people/phone.ts";
import { audited } from "../flows/operations/audit.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { PHONE, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import {
  beginSubscribers,
  findPhoneOfChange,
  listSubscribers,
  type Subscriber,
} from "../store/people/list-subscribers.ts";
import { listAnswers, type SubscriberListAnswers } from "./answers/people.ts";
import { csvFile, FILE_ROWS, pagesAfter } from "./csv-file.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, readChoice, requireWebsite, WEBSITE } from "./params.ts";

const CSV = {
  mediaType: "text/csv",
  schema: z.string(),
  example: `${FILE_MARK}phone_numbers,email,subscribed,since,source\r\n"${PHONE}","ada@example.com","true","${TIME}","import"\r\n`,
};

const list = operatorCall({
  id: "listSubscribers",
  method: "GET",
  path: "/operator/websites/:websiteId/subscribers",
  tag: "People",
  summary: "List the subscribers of a website, or export them",
  description:
    "Every number that the website knows, subscribed or not, in the order of the numbers, 100 per page. `format=csv` answers all of them as a file that an import takes, and is in the audit log.",
  database: "named",
  parameters: [
    WEBSITE,
    inQuery("cursor", "The `next` of the page before."),
    inQuery("format", "`csv`: the whole list as a file.", { enum: ["json", "csv"], default: "json" }),
  ],
  answers: [
    {
      ...ok(listAnswers.SubscriberPage, "One page, or the file.", {
        total: 1,
        subscribers: [{ phone: PHONE, email: "ada@example.com", subscribed: true, since: TIME, source: "import" }],
        next: null,
      }),
      other: CSV,
    },
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "subscribers",
    options: {
      csv: { field: "format", sets: "csv", summary: "All of them as CSV; npm run -s operator prints nothing else." },
    },
    next: ({ total }) => (total === null ? undefined : `${total.toLocaleString("en-US")} are subscribed.`),
  },
  run: async (request, deps) => {
    const { websiteId } = await requireWebsite(request, deps);
    const { cursor, format } = readTogether({
      cursor: () => readCursor(request),
      format: () => readChoice(request, "format", ["json", "csv"]),
    });
    if (format === "csv") return exportAll(request, deps, websiteId);
    if (cursor === null) {
      const { subscribers, total } = await beginSubscribers(deps.db, websiteId, PAGE);
      return pageView(subscribers, total);
    }
    const after = await findPhoneOfChange(deps.db, websiteId, cursor);
    if (after === undefined) failField("cursor", "is not known any more: begin again without it");
    return pageView(await listSubscribers(deps.db, websiteId, after, PAGE), null);
  },
});

function readCursor({ query }: ApiRequest): number | null {
  const cursor = String(query.cursor ?? "");
  if (cursor === "") return null;
  return /^\d{1,15}$/.test(cursor) ? Number(cursor) : failField("cursor", "must be the `next` of an earlier page");
}

function pageView(subscribers: Subscriber[], total: number | null): SubscriberListAnswers["SubscriberPage"] {
  const last = subscribers.length === PAGE ? subscribers.at(-1) : undefined;
  const next = last ? String(last.changeId) : null;
  return { total, subscribers: subscribers.map(subscriberView), next };
}

const subscriberView = ({ changeId: _, phone, since, ...subscriber }: Subscriber) => ({
  phone: toE164(phone),
  ...subscriber,
  since: toTime(since),
});

async function exportAll(request: ApiRequest, { ...deps }: Deps, websiteId: string): Promise<Response> {
  const read = (after: number) => listSubscribers(deps.db, websiteId, after, FILE_ROWS);
  const entry = { action: "export-subscribers", websiteId } as const;
  const first = await audited(
    deps,
    authorOf(request),
    entry,
    () => read(0),
    () => ({}),
  );
  const head = "phone_numbers,email,subscribed,since,source";
  const after = ({ phone }: Subscriber) => read(phone);
  return csvFile({ name: `${websiteId}-subscribers`, head, pages: pagesAfter(first, after), toLine });
}

function toLine({ phone, email, subscribed, since, source }: Subscriber): string {
  return writeCsv([[toE164(phone), email ?? "", String(subscribed), toTime(since), source]]);
}

export const subscriberList: Resource = { calls: [list], schemas: listAnswers };
