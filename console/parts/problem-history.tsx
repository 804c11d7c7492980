import type { JSX } from "preact";
import type { PastProblem } from "../answers.ts";
import { pastSentence } from "../lib/problem-words.ts";
import { formatShortSpan } from "../lib/times.ts";
import { Head, Rows } from "./section.tsx";
import { Status } from "./status.tsx";
import { Time, useNow } from "./time.tsx";

/** Problems with their begin and end; those that are open first, as they come. */
export function ProblemHistory({ problems }: { problems: PastProblem[] }): JSX.Element {
  const now = useNow(60);
  return (
    <Rows class="phone history" label="Problems of the last seven days">
      <Head columns={["What", "Began", "Ended", "For"]} numbers={["For"]} />
      <tbody>
        {problems.map((past) => (
          <tr key={`${past.problem} ${past.began} ${past.carrier ?? past.host ?? past.database ?? ""}`}>
            <th scope="row" class="wide">
              {pastSentence(past)}
            </th>
            <td data-label="Began">
              <Time at={past.began} />
            </td>
            <td class="right">
              {past.ended ? (
                <Time at={past.ended} />
              ) : (
                <Status look={{ word: "Open", shape: "waiting", tone: "wait" }} />
              )}
            </td>
            <td class="number">
              {formatShortSpan((past.ended ? Date.parse(past.ended) : now) - Date.parse(past.began))}
            </td>
          </tr>
        ))}
      </tbody>
    </Rows>
  );
}
