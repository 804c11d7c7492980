import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { DeadJobList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { countOf } from "../lib/numbers.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Head, Rows } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";

type Job = DeadJobList["deadJobs"][number];

const KINDS: Record<string, string> = {
  deliver: "Texts to submit",
  record: "Outcomes to store",
  release: "A claim to release",
  "release-callbacks": "Callbacks to release",
  cancel: "Texts to cancel",
  click: "A click to count",
  move: "A move to go on with",
  receipts: "Receipts to apply",
};

export function DeadJobs(): JSX.Element {
  const { data, failure, reload } = useAnswer<DeadJobList>("/operator/dead-jobs", 60);
  const [isAsking, setAsking] = useState(false);
  if (!data) return <NoAnswer failure={failure} title="Dead jobs" onRetry={reload} />;
  const open = data.deadJobs.filter(({ putBackAt }) => putBackAt === null);
  return (
    <Page
      title={open.length === 0 ? "No dead job" : `${countOf(open.length, "job")} failed for good`}
      lead={
        open.length === 0
          ? "A job that fails six times by itself, or for two hours because of the store, is kept here. None has."
          : "Fix the cause and deploy, then put them back: it is safe to repeat, and no text is sent twice."
      }
      acts={
        open.length > 0 && (
          <ActButton onPress={() => setAsking(true)}>
            Put {open.length === 1 ? "it" : `all ${open.length}`} back…
          </ActButton>
        )
      }
    >
      {data.deadJobs.length > 0 && <List jobs={data.deadJobs} reload={reload} />}
      <FromShell line={`npm run operator -- ${open.length > 0 ? "put-back --all" : "dead-jobs"}`} />
      {isAsking && (
        <Confirm
          count={open.length}
          title={(count) => `Put ${countOf(count, "job")} back?`}
          lines={[
            {
              icon: "sending",
              text: "Each is done once more, and changes only what its claim, or its message’s status, still allows.",
            },
            { icon: "problem", text: "What fails again is a new dead job." },
          ]}
          act={(count) => `Put ${countOf(count, "job")} back`}
          out="Leave them"
          run={async (expected) => {
            const { putBack } = await ask<{ putBack: number }>("/operator/dead-jobs/put-back", {
              method: "POST",
              body: { expected },
            });
            tellDone(`${countOf(putBack, "job")} ${putBack === 1 ? "is" : "are"} put back.`);
            reload();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </Page>
  );
}

function List({ jobs, reload }: { jobs: Job[]; reload: () => void }): JSX.Element {
  return (
    <Rows class="phone" label="Dead jobs, the newest first">
      <Head columns={["What it was to do", "Died", "Its error", "Put back"]} unseen="Put back" />
      <tbody>
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} reload={reload} />
        ))}
      </tbody>
    </Rows>
  );
}

function JobRow({ job, reload }: { job: Job; reload: () => void }): JSX.Element {
  const putting = useAct();
  const { id, queue, body, diedAt, error, putBackAt } = job;
  const kind = typeof body === "object" && body !== null && "kind" in body ? String(body.kind) : "";
  const putBack = () =>
    putting.run(async () => {
      await ask(`/operator/dead-jobs/${id}/put-back`, { method: "POST" });
      tellDone("The job is put back.");
      reload();
    });
  return (
    <tr>
      <th scope="row">
        {KINDS[kind] ?? (kind || "A malformed job")}
        <span class="second">{queue}</span>
      </th>
      <td class="right">
        <Time at={diedAt} />
      </td>
      <td class="wide">
        <code>{error ?? "without words"}</code>
        <details class="small">
          <summary>Its body</summary>
          <pre class="words">{JSON.stringify(body, null, 1)}</pre>
        </details>
        <FailureLine failure={putting.failure} />
      </td>
      <td class="wide">
        <div class="row-acts">
          {putBackAt ? (
            <>
              <Status look={{ word: "Put back", shape: "sending", tone: "plain" }} />
              <span class="second">
                <Time at={putBackAt} />
              </span>
            </>
          ) : (
            <ActButton isSmall isOff={putting.isBusy} onPress={() => void putBack()}>
              Put back
            </ActButton>
          )}
        </div>
      </td>
    </tr>
  );
}
