import { messagesHash } from "../lib/addresses.ts";
import { countOf, formatCount, formatShare } from "../lib/numbers.ts";
import { type Outcomes, partsOf, reasonsOf, reportedOf, wordOf } from "../lib/outcomes.ts";
import { ChartMark, type Tile } from "./tiles.tsx";

const MARKS = ["up", "down", "disc", "hatch"] as const;
const SEARCHES = ["outcome:delivered", "outcome:undelivered", "outcome:no-receipt", "status:waiting"];

/**
 * Accepted texts, and what became of them: the parts add up.
 * @param judgment of the accepted ones
 * @param search finds all of them; undefined: a part of them may be kept no more
 * @param besides is said in place of what the tiles of the parts say
 */
export function outcomeTiles(
  counts: Outcomes,
  judgment: string,
  search?: string,
  besides: (Partial<Tile> | false)[] = [],
): Tile[] {
  const { delivered, undelivered } = counts;
  const reported = reportedOf(counts);
  const find = (words?: string) => (search && words !== undefined ? messagesHash(`${search} ${words}`) : undefined);
  const why = reasonsOf(counts).map(([name, words], index) => (
    <span key={name}>
      {index > 0 && ", "}
      {search ? <a href={find(`outcome:${wordOf(name)}`) ?? ""}>{words}</a> : words}
    </span>
  ));
  const judgments = [
    `${formatShare(delivered, reported)} of ${formatCount(reported)} with a receipt`,
    formatShare(undelivered, reported),
    "the carrier has them",
    "not gone yet",
    why,
  ];
  const parts = partsOf(counts).map(([label, count], index) => ({
    ...{ label, mark: MARKS[index] && <ChartMark name={MARKS[index]} />, value: formatCount(count) },
    ...{ judgment: count > 0 || index === 0 ? judgments[index] : "none", href: find(SEARCHES[index]) },
    ...besides[index],
  }));
  return [
    {
      label: "Accepted",
      judgment,
      mark: <ChartMark name="step" />,
      value: formatCount(counts.accepted),
      href: find(""),
    },
    // Mostly all were sent.
    ...(why.length > 0 ? parts : parts.slice(0, 4)),
  ];
}

type Counted = Outcomes & Record<"clicked" | "optedOut", number> & Partial<Record<"segments" | "robotClicks", number>>;

/** What became of them, and what people did. A report has segments and the clicks of robots as well. */
export function countedTiles(counts: Counted, search?: string): Tile[] {
  const { sent, segments, clicked, robotClicks, optedOut } = counts;
  const gone = `${formatCount(sent)} are gone`;
  const share = formatShare(clicked, sent);
  return [
    ...outcomeTiles(counts, segments === undefined ? gone : `${gone}, in ${countOf(segments, "segment")}`, search),
    {
      label: "Clicked",
      value: formatCount(clicked),
      judgment: robotClicks === undefined ? share : `${share}, without ${formatCount(robotClicks)} of robots`,
    },
    { label: "Opted out", value: formatCount(optedOut), judgment: formatShare(optedOut, sent) },
  ];
}
