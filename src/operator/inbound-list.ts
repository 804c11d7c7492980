import { WEBSITE_ID } from "../domain/clients/website.ts";
import { failField } from "../domain/failure.ts";
import { mergePages } from "../flows/databases/ask-each.ts";
import { inQuery, ok, type Resource } from "../http/call.ts";
import { MESSAGE_ID } from "../http/examples.ts";
import { countToDecide, listTexts, type TextPlace } from "../store/people/list-texts.ts";
import { inboundListAnswers, type ListedText } from "./answers/inbound.ts";
import { inShell } from "./in-shell.ts";
import { INBOUND_TEXT, TEXT_COLUMNS, textView } from "./inbound.ts";
import { operatorCall } from "./operator-call.ts";
import { PAGE, readWebsiteId, readYes } from "./params.ts";

const DECIDE = "Decide each, with --opt-out or --no-opt-out:";

/** The command for a text. Its time tells which text is meant: what the person wrote may be anything. */
function toDecision({ websiteId, carrier, carrierMessageId, receivedAt }: ListedText): string {
  const isPlain = /^[\x20-\x7e]+$/.test(carrierMessageId);
  const id = isPlain ? inShell(carrierMessageId) : "<carrierMessageId, see --json>";
  return `  decide ${websiteId} ${carrier} ${id}   # the text of ${receivedAt}`;
}

const list = operatorCall({
  id: "listTexts",
  method: "GET",
  path: "/operator/inbound",
  tag: "People",
  summary: "List the inbound texts of all websites",
  description: "Texts from people, to any website or to none. Newest first, 100 per page.",
  parameters: [
    inQuery("website", "Only texts to this website.", { pattern: WEBSITE_ID.source }),
    inQuery("toDecide", "true: only those that `toDecide` counts.", { enum: ["true", "false"] }),
    inQuery("before", "The `next` of the page before."),
  ],
  answers: [
    ok(inboundListAnswers.InboundPage, "One page.", {
      texts: [
        {
          ...INBOUND_TEXT,
          ...{ websiteId: "brand", websiteName: "Brand" },
          inReplyTo: { messageId: MESSAGE_ID, sendPurpose: "newsletter" },
        },
      ],
      next: null,
      toDecide: 0,
    }),
  ],
  errors: ["resource-unknown", "fields-wrong"],
  command: {
    name: "texts",
    options: { "to-decide": { field: "toDecide", sets: "true", summary: "Only texts that wait for a decision." } },
    columns: { texts: ["websiteId", ...TEXT_COLUMNS] },
    next: ({ texts, toDecide }, given) => {
      if (given["to-decide"]) return texts.length === 0 ? undefined : `${DECIDE}\n${texts.map(toDecision).join("\n")}`;
      return toDecide ? `${toDecide} texts may be opt-outs: \`texts --to-decide\` lists them.` : undefined;
    },
  },
  run: async (request, deps) => {
    const search = {
      websiteId: await readWebsiteId(request, deps),
      toDecide: readYes(request, "toDecide"),
    };
    const cursor = String(request.query.before ?? "");
    let toDecide = 0;
    const { items, next, missing } = await mergePages(deps, cursor, PAGE, async ({ db }, from) => {
      const before = readCursor(from);
      const count = cursor === "" ? await countToDecide(db, search.websiteId) : 0;
      // Not in one line with the await: the databases are asked side by side.
      toDecide += count;
      const texts = await listTexts(db, search, before, PAGE);
      const found = texts.map((item) => ({ item, at: item.receivedAt, cursor: writeCursor(item.place) }));
      return { items: found, next: found.length === PAGE ? (found.at(-1) ?? null) : null };
    });
    const texts = items.map(({ place: _, websiteName, inReplyTo, ...text }) => ({
      ...textView(text),
      ...{ websiteId: text.websiteId, websiteName, inReplyTo },
    }));
    return { texts, next, toDecide: cursor === "" ? toDecide : null, ...missing };
  },
});

/** A carrier's id may have any characters: `,` and `~` are those that end a cursor and a part of it. */
const writeCursor = ({ receivedAt, websiteId, carrier, carrierMessageId }: TextPlace) =>
  [receivedAt, websiteId, carrier, carrierMessageId]
    .map((part) => encodeURIComponent(part).replaceAll("~", "%7E"))
    .join(",");

function readCursor(cursor: string): TextPlace | null {
  if (cursor === "") return null;
  const parts = /^(\d{1,15}),([^,]*),([^,]+),([^,]+)$/.exec(cursor)?.slice(1).map(decode);
  const [receivedAt, websiteId, carrier, carrierMessageId] =
    parts ?? failField("before", "must be the `next` of an earlier page");
  return { receivedAt: Number(receivedAt), websiteId, carrier, carrierMessageId } as TextPlace;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return failField("before", "must be the `next` of an earlier page");
  }
}

export const inboundList: Resource = { calls: [list], schemas: inboundListAnswers };
