import type { JSX } from "preact";
import type { Overview } from "../answers.ts";
import { isOperator } from "../lib/session.ts";
import { ButtonLink } from "../parts/button.tsx";
import { EmptySteps } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";
import { ProblemList } from "../parts/problem-list.tsx";

/** Before the first text: three steps to it. */
export const FirstDay = ({ answer }: { answer: Overview }): JSX.Element => (
  <Page title="No text yet" lead={LEAD}>
    {answer.problems.length > 0 && <ProblemList problems={answer.problems} />}
    <FirstSteps website={answer.websites[0]} />
  </Page>
);

/** Before the first website. */
export const NoWebsite = (): JSX.Element => (
  <Page title="No website yet" lead={LEAD}>
    <FirstSteps />
  </Page>
);

const LEAD = "Three steps, then your platform sends.";

function FirstSteps({ website }: { website?: Overview["websites"][number] | undefined }): JSX.Element {
  const canChange = isOperator();
  const id = website?.websiteId ?? "harbor-coffee";
  return (
    <EmptySteps
      steps={[
        website
          ? { title: "Make a website", meaning: `${website.name} is made.`, isDone: true }
          : {
              title: "Make a website",
              meaning: "A website is one brand.",
              line: `put-website ${id} --name "Harbor Coffee" --carrier sandbox`,
              act: canChange && (
                <ButtonLink kind="dark" href="#/websites/new">
                  New website
                </ButtonLink>
              ),
            },
        {
          title: "Make a client",
          meaning: "A client is the platform that sends.",
          line: `create-client ${id} --name braze`,
        },
        {
          title: "Bring your people",
          meaning: "A file with a column phone_numbers. You see what it does before it does it.",
          line: `import-subscribers ${id} people.csv`,
        },
      ]}
    />
  );
}
