import { WEBSITE_ID } from "../domain/clients/website.ts";
import { failField } from "../domain/failure.ts";
import { mergePages } from "../flows/databases/ask-each.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID, TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { type ListedImport, listImports } from "../store/people/list-imports.ts";
import { importListAnswers } from "./answers/imports.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, readWebsiteId } from "./params.ts";

const list = operatorCall({
  id: "listImports",
  method: "GET",
  path: "/operator/imports",
  tag: "People",
  summary: "List the imports",
  description: "Newest first, 100 per page; of one website, or of all.",
  parameters: [
    inQuery("website", "Only imports into this website.", { pattern: WEBSITE_ID.source }),
    inQuery("cursor", "The `next` of the page before."),
  ],
  answers: [
    ok(importListAnswers.ImportList, "One page.", {
      imports: [
        {
          ...{ importId: MESSAGE_ID, websiteId: "brand", websiteName: "Brand", file: "people.csv", operator: "ada" },
          ...{ at: TIME, rows: 2, keptUnsubscribed: 0, refused: 0, undoneAt: null },
          ...{ newSubscribed: 1, newOptedOut: 0, becameSubscribed: 0, becameOptedOut: 1 },
        },
      ],
      next: null,
    }),
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: { name: "imports" },
  run: async (request, deps) => {
    const website = await readWebsiteId(request, deps);
    const cursor = String(request.query.cursor ?? "");
    const { items, next, missing } = await mergePages(deps, cursor, PAGE, async ({ db }, from) => {
      const found = await listImports(db, website, readCursor(from), PAGE);
      const items = found.map((item) => ({ item, at: item.begunAt, cursor: writeCursor(item) }));
      return { items, next: found.length === PAGE ? (items.at(-1) ?? null) : null };
    });
    const imports = items.map(({ begunAt, undoneAt, ...others }) => ({
      ...others,
      at: toTime(begunAt),
      undoneAt: toTime(undoneAt),
    }));
    return { imports, next, ...missing };
  },
});

const writeCursor = ({ begunAt, importId }: ListedImport) => `${begunAt}_${importId}`;

function readCursor(cursor: string): { begunAt: number; importId: string } | null {
  if (cursor === "") return null;
  const [, begunAt, importId = ""] =
    /^(\d{1,15})_([0-9a-f-]{36})$/.exec(cursor) ?? failField("cursor", "must be the `next` of an earlier page");
  return { begunAt: Number(begunAt), importId };
}

export const importList: Resource = { calls: [list], schemas: importListAnswers };
