import type { JSX } from "preact";
import type { PastProblem } from "../answers.ts";
import { pastSentence } from "../lib/problem-words.ts";
import { formatShortSpan } from "../lib/times.ts";
import { Table } from "./section.tsx";
import { Status } from "./status.tsx";
import { Time, useNow } from "./time.tsx";

const OPEN = { word: "Open", shape: "waiting", tone: "wait" } as const;

/** Problems with their begin and end; those that are open first, as they come. */
export function ProblemHistory({ problems }: { problems: PastProblem[] }): JSX.Element {
  const now = useNow(60);
  return (
    <Table
      label="Problems of the last seven days"
      rows={problems}
      keyOf={(past) => `${past.problem} ${past.began} ${past.carrier ?? past.host ?? past.database ?? ""}`}
      columns={[
        ["What", pastSentence, "head wide"],
        ["Began", ({ began }) => <Time at={began} />, "named"],
        ["Ended", ({ ended }) => (ended ? <Time at={ended} /> : <Status look={OPEN} />), "right"],
        [
          "For",
          ({ began, ended }) => formatShortSpan((ended ? Date.parse(ended) : now) - Date.parse(began)),
          "number left",
        ],
      ]}
    />
  );
}
