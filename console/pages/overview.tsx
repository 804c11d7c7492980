import type { JSX } from "preact";
import type { Overview as Answer, Problem } from "../answers.ts";
import { messagesHash } from "../lib/addresses.ts";
import { countOf, formatCount, formatShare, listOf } from "../lib/numbers.ts";
import { wordsOf } from "../lib/problem-words.ts";
import { useIsOperator } from "../lib/session.ts";
import { formatClock, formatDay, formatShortSpan, formatTime } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ButtonLink } from "../parts/button.tsx";
import { ChartSection } from "../parts/chart.tsx";
import { DaysChart, usualShareOf } from "../parts/days-chart.tsx";
import { EmptySteps } from "../parts/empty.tsx";
import { HourChart, type Mark } from "../parts/hour-chart.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { ProblemHistory } from "../parts/problem-history.tsx";
import { ProblemList } from "../parts/problem-list.tsx";
import { Section } from "../parts/section.tsx";
import { SmallChart } from "../parts/small-chart.tsx";
import { ChartMark, Tiles } from "../parts/tiles.tsx";
import { Carriers, WebsitesNow } from "./overview-tables.tsx";

export function Overview(): JSX.Element {
  const { data, failure, reload } = useAnswer<Answer>("/operator/overview", 20);
  if (data) return data.hasTexts ? <Whole answer={data} /> : <FirstDay answer={data} />;
  return <NoAnswer failure={failure} title="Overview" onRetry={reload} />;
}

function Whole({ answer }: { answer: Answer }): JSX.Element {
  const { problems, lastProblems, days } = answer;
  const title =
    problems.length === 0
      ? "Nothing needs you"
      : `${problems.length} ${problems.length === 1 ? "thing needs" : "things need"} you`;
  const today = days.at(-1);
  return (
    <Page title={title} lead={leadOf(answer)}>
      {problems.length > 0 && <ProblemList problems={problems} />}
      <Hour answer={answer} />
      <div class="two-one">
        <ChartSection
          title="30 days"
          of={`${formatCount(days.reduce((sum, day) => sum + day.delivered, 0))} delivered`}
          head={["Day", "Accepted", "Sent", "Delivered", "Undelivered", "Clicked", "Opted out"]}
          rows={days.map((it) => [
            formatDay(it.day),
            it.accepted,
            it.sent,
            it.delivered,
            it.undelivered,
            it.clicked,
            it.optedOut,
          ])}
        >
          <DaysChart days={days} />
        </ChartSection>
        <div class="stack">
          <Section
            title="Clicks"
            act={
              <>
                today <a href="#/reports">{formatCount(today?.clicked)}</a>
              </>
            }
          >
            <SmallChart
              label="Texts clicked, by day"
              days={days.map((it) => ({ day: it.day, up: it.clicked }))}
              names={["Clicked"]}
            />
          </Section>
          <Section
            title="Opt-outs"
            act={
              <>
                today <a href="#/people">{formatCount(today?.optedOut)}</a>
              </>
            }
          >
            <SmallChart
              label="Opt-outs, by day"
              days={days.map((it) => ({ day: it.day, up: it.optedOut }))}
              names={["Opted out"]}
              tone="none-fill"
            />
          </Section>
        </div>
      </div>
      <div class="halves">
        <WebsitesNow websites={answer.websites} />
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

/** Which brands are fine, and which are not. */
function leadOf({ websites, lastProblems, minutes, days }: Answer): JSX.Element {
  const stuck = websites.filter(({ waiting }) => waiting > 0);
  const fine = websites.filter(({ waiting, delivered }) => waiting === 0 && delivered > 0);
  if (stuck.length > 0) {
    return (
      <>
        {fine.length > 0 && (
          <>
            Texts of <strong>{listOf(fine.map(({ name }) => name))}</strong> arrive.{" "}
          </>
        )}
        {stuck.map(({ websiteId, name, waiting, waitsFor }) => (
          <span key={websiteId}>
            At <strong>{name}</strong>, {countOf(waiting, "text")} {waiting === 1 ? "waits" : "wait"}
            {waitsFor ? ` for the carrier ${waitsFor}` : ""}.{" "}
          </span>
        ))}
      </>
    );
  }
  const [delivered, undelivered] = [sum(minutes, "delivered"), sum(minutes, "undelivered")];
  const usual = usualShareOf(days);
  const share = undelivered / Math.max(1, delivered + undelivered);
  const isUsual = usual !== null && share < Math.max(0.04, usual * 3);
  const last = lastProblems.find(({ ended }) => ended !== null);
  return (
    <>
      {delivered + undelivered > 0 ? (
        <>
          In the last hour, <strong>{formatShare(delivered, delivered + undelivered)}</strong> of texts arrived
          {isUsual ? ", as on most days" : ""}.
        </>
      ) : (
        "No text has arrived in the last hour, and none was to."
      )}
      {last?.ended && ` The last problem ended ${formatTime(last.ended, Date.now())}.`}
    </>
  );
}

const sum = (
  minutes: Answer["minutes"],
  key: "accepted" | "submitted" | "delivered" | "undelivered" | "noReceipt" | "waiting",
) => minutes.reduce((total, minute) => total + minute[key], 0);

function Hour({ answer }: { answer: Answer }): JSX.Element {
  const { minutes, hour, needs, days, websites, problems } = answer;
  const accepted = sum(minutes, "accepted");
  const [delivered, undelivered, noReceipt] = [
    sum(minutes, "delivered"),
    sum(minutes, "undelivered"),
    sum(minutes, "noReceipt"),
  ];
  const usual = usualShareOf(days);
  const share = undelivered / Math.max(1, delivered + undelivered);
  const isUnusual = undelivered > 2 && share >= 0.04 && share >= 3 * (usual ?? 0);
  const mark = markOf(problems);
  const first = minutes[0]?.at ?? answer.asOf;
  const last = minutes.at(-1)?.at ?? answer.asOf;
  const since = new Date(first).toISOString();
  const messages = (status: string) => messagesHash(`status:${status} after:${formatClock(since)}`);
  const waitsFor = [...new Set(websites.flatMap((it) => it.waitsFor ?? []))];
  return (
    <ChartSection
      title="The last hour"
      of={`${formatClock(first)} to ${formatClock(last)}, by minute${hour.countedSince ? `, counted since ${formatClock(hour.countedSince)}` : ""}`}
      head={["Minute", "Accepted", "Submitted", "Delivered", "Undelivered", "No receipt", "Waiting"]}
      rows={minutes.map((it) => [
        formatClock(it.at),
        it.accepted,
        it.submitted,
        it.delivered,
        it.undelivered,
        it.noReceipt,
        it.waiting,
      ])}
      above={
        <Tiles
          tiles={[
            {
              label: "Accepted",
              mark: <ChartMark name="step" />,
              value: formatCount(accepted),
              judgment: `from ${countOf(hour.clients, "client")}`,
              href: `#/messages?q=after:${formatClock(since)}`,
            },
            {
              label: "Delivered",
              mark: <ChartMark name="up" />,
              value: formatCount(delivered),
              judgment: `${formatShare(delivered, sum(minutes, "submitted"))} of submitted`,
              href: messages("delivered"),
            },
            {
              label: "Undelivered",
              mark: <ChartMark name="down" />,
              value: formatCount(undelivered),
              judgment:
                undelivered === 0
                  ? "none"
                  : `${formatShare(undelivered, delivered + undelivered)}${isUnusual ? ", more than on most days" : ", as on most days"}`,
              tone: isUnusual ? "bad" : undefined,
              href: messages("undelivered"),
            },
            {
              label: "No receipt yet",
              mark: <ChartMark name="disc" />,
              value: formatCount(noReceipt),
              judgment:
                hour.oldestWithoutReceiptSeconds === null
                  ? "none"
                  : `oldest ${formatShortSpan(hour.oldestWithoutReceiptSeconds * 1000)}`,
              href: messages("sending"),
            },
            {
              label: "Waiting",
              mark: <ChartMark name="hatch" />,
              value: formatCount(needs.waiting),
              judgment:
                needs.waiting === 0
                  ? "none"
                  : waitsFor.length > 0
                    ? `${waitsFor.length === 1 ? "all " : ""}for ${listOf(waitsFor)}`
                    : "for their turn",
              tone: needs.waiting > 0 ? "wait" : undefined,
              href: "#/waiting",
            },
          ]}
        />
      }
    >
      <HourChart minutes={minutes} mark={mark} />
      {accepted === 0 && (
        <p class="dim small">
          No texts between {formatClock(first)} and {formatClock(last)}.
        </p>
      )}
    </ChartSection>
  );
}

/** Of more than one problem that texts show, the newest has its line in the chart. */
function markOf(problems: Problem[]): Mark | null {
  const marks = problems.flatMap((problem) => {
    const words = wordsOf(problem).short;
    return words && problem.since ? [{ at: problem.since, words }] : [];
  });
  return marks.sort((one, other) => one.at.localeCompare(other.at)).at(-1) ?? null;
}

function FirstDay({ answer }: { answer: Answer }): JSX.Element {
  const isOperator = useIsOperator();
  const id = answer.websites[0]?.websiteId ?? "harbor-coffee";
  return (
    <Page title="No text yet" lead="Three steps, then your platform sends, and this page shows whether texts arrive.">
      {answer.problems.length > 0 && <ProblemList problems={answer.problems} />}
      <EmptySteps
        steps={[
          {
            title: "Make a website",
            meaning: "A website is one brand: its people, its sender, its limits.",
            line: `npm run operator -- put-website ${id} --name "Harbor Coffee" --carrier sandbox`,
            act: isOperator && (
              <ButtonLink kind="dark" href="#/websites/new">
                New website
              </ButtonLink>
            ),
          },
          {
            title: "Make a client",
            meaning: "A client is the platform that sends. You get an id and a secret, shown once.",
            line: `npm run operator -- create-client ${id} --name braze`,
          },
          {
            title: "Bring your people",
            meaning: "A file with a column phone_numbers. You see what it does before it does it.",
            line: `npm run operator -- import-subscribers ${id} people.csv`,
          },
        ]}
      />
    </Page>
  );
}
