import type { JSX } from "preact";
import type { Overview } from "../answers.ts";
import { countOf } from "../lib/numbers.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { ProblemHistory } from "../parts/problem-history.tsx";
import { ProblemList } from "../parts/problem-list.tsx";
import { Section } from "../parts/section.tsx";

/** All that are open, whole; and those of the week with begin and end. A problem ends by being mended: nobody dismisses one. */
export function Problems(): JSX.Element {
  const { data, failure, reload } = useAnswer<Overview>("/operator/overview", 20);
  if (!data) return <NoAnswer failure={failure} title="Problems" onRetry={reload} />;
  const { problems, lastProblems } = data;
  return (
    <Page
      title={problems.length === 0 ? "No problem" : countOf(problems.length, "problem")}
      lead={
        problems.length === 0
          ? "Whatever breaks stands here, with what to do."
          : "Each ends by itself when it is mended."
      }
    >
      {problems.length > 0 && <ProblemList problems={problems} isWhole />}
      <Section title="Problems of the last 7 days">
        {lastProblems.length > 0 ? <ProblemHistory problems={lastProblems} /> : <p>There was none.</p>}
      </Section>
      <FromShell line="overview" />
    </Page>
  );
}
