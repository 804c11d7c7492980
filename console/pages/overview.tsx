import type { JSX } from "preact";
import type { Overview as Answer } from "../answers.ts";
import { countOf, listOf, sumOf } from "../lib/numbers.ts";
import { arrivedWords, totalOf } from "../lib/outcomes.ts";
import { fillDays } from "../lib/ranges.ts";
import type { Route } from "../lib/router.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Counting, DaysFields, readDays, useReport } from "../parts/days.tsx";
import { DaysSection } from "../parts/days-section.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { ProblemHistory } from "../parts/problem-history.tsx";
import { ProblemList } from "../parts/problem-list.tsx";
import { Section } from "../parts/section.tsx";
import { SmallSection } from "../parts/small-chart.tsx";
import { FirstDay } from "./first-day.tsx";
import { Hour } from "./overview-hour.tsx";
import { Carriers, isArriving, WebsitesNow } from "./overview-tables.tsx";

export function Overview({ route }: { route: Route }): JSX.Element {
  const { data, failure, reload } = useAnswer<Answer>("/operator/overview", 20);
  if (data) return data.hasTexts ? <Whole answer={data} route={route} /> : <FirstDay answer={data} />;
  return <NoAnswer failure={failure} title="Overview" onRetry={reload} />;
}

function Whole({ answer, route }: { answer: Answer; route: Route }): JSX.Element {
  const { problems, lastProblems } = answer;
  const title =
    problems.length === 0 ? "Nothing needs you" : countOf(problems.length, "thing needs you", "things need you");
  return (
    <Page title={title} lead={leadOf(answer)}>
      {problems.length > 0 && <ProblemList problems={problems} />}
      <Hour answer={answer} />
      <Days answer={answer} route={route} />
      <div class="halves">
        <WebsitesNow websites={answer.websites} isCut={answer.isCut} />
        <Carriers carriers={answer.carriers} />
      </div>
      {lastProblems.length > 0 && (
        <Section title="Problems of the last 7 days">
          <ProblemHistory problems={lastProblems} />
        </Section>
      )}
    </Page>
  );
}

/** The days that are chosen. The overview itself has the last 30 of UTC. */
function Days({ answer, route }: { answer: Answer; route: Route }): JSX.Element {
  const chosen = readDays(route);
  const { data, failure } = useReport("/operator/report", chosen);
  const days = chosen.isUsual ? answer.days : data && fillDays(data.rows, data);
  return (
    <>
      <div class="filter-row">
        <DaysFields {...{ route, chosen }} />
      </div>
      {days ? (
        <div class="two-one">
          <DaysSection title="By day" delivered={sumOf(days, "delivered")} days={days} today={chosen.now} />
          <div class="stack">
            <SmallSection
              title="Clicks"
              series={days.map((it) => ({ at: it.day, up: it.clicked }))}
              names={["Clicked"]}
            />
            <SmallSection
              title="Opt-outs"
              series={days.map((it) => ({ at: it.day, up: it.optedOut }))}
              names={["Opted out"]}
              tone="none-fill"
            />
          </div>
        </div>
      ) : (
        <Counting failure={failure} />
      )}
    </>
  );
}

/** Which brands are fine, and which are not. */
function leadOf({ websites, minutes }: Answer): JSX.Element {
  const stuck = websites.filter(({ overdue }) => overdue);
  const fine = websites.filter((it) => it.overdue === 0 && it.delivered > 0 && isArriving(it));
  if (stuck.length > 0) {
    return (
      <>
        {fine.length > 0 && (
          <>
            Texts of <strong>{listOf(fine.map(({ name }) => name))}</strong> arrive.{" "}
          </>
        )}
        {stuck.map(({ websiteId, name, overdue, waitsFor }) => (
          <span key={websiteId}>
            At <strong>{name}</strong>, {countOf(overdue, "text")} {overdue === 1 ? "waits" : "wait"}
            {waitsFor ? ` for the carrier ${waitsFor}` : ""}.{" "}
          </span>
        ))}
      </>
    );
  }
  const total = totalOf(minutes);
  return <>{total.accepted > 0 ? `In the last hour: ${arrivedWords(total)}.` : "No text in the last hour. "}</>;
}
