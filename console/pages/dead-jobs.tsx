import type { JSX } from "preact";
import type { DeadJobList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { countOf } from "../lib/numbers.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Asking, Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Table, Two } from "../parts/section.tsx";
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
  receipts: "Receipts to apply",
};

export function DeadJobs(): JSX.Element {
  const { data, failure, reload } = useAnswer<DeadJobList>("/operator/dead-jobs", 60);
  if (!data) return <NoAnswer failure={failure} title="Dead jobs" onRetry={reload} />;
  const open = data.deadJobs.filter(({ putBackAt }) => putBackAt === null).length;
  return (
    <Page
      title={open === 0 ? "No dead job" : `${countOf(open, "job")} failed for good`}
      lead={
        open === 0
          ? "A job that fails for good is kept here."
          : "Fix the cause and deploy, then put them back: no text is sent twice."
      }
      acts={open > 0 && <PutBackAll open={open} reload={reload} />}
    >
      {data.deadJobs.length > 0 && (
        <Table
          label="Dead jobs, the newest first"
          rows={data.deadJobs}
          keyOf={({ id }) => id}
          columns={[
            ["What it was to do", ({ body, queue }) => <Two first={kindOf(body)} second={queue} />, "head"],
            ["Died", ({ diedAt }) => <Time at={diedAt} />, "right"],
            ["Its error", errorOf, "wide"],
            ["Put back", (job) => <PutBack job={job} reload={reload} />, "wide acts"],
          ]}
        />
      )}
      <FromShell line="dead-jobs" />
    </Page>
  );
}

const PutBackAll = ({ open, reload }: { open: number; reload: () => void }): JSX.Element => (
  <Asking
    dialog={(close) => (
      <Confirm
        count={open}
        title={(count) => `Put ${countOf(count, "job")} back?`}
        lines={[{ icon: "sending", text: "Each is done once more." }]}
        act={(count) => `Put ${countOf(count, "job")} back`}
        out="Leave them"
        run={async (expected) => {
          const call = "/operator/dead-jobs/put-back";
          const { putBack } = await ask<{ putBack: number }>(call, { method: "POST", body: { expected } });
          tellDone(`${countOf(putBack, "job is", "jobs are")} put back.`);
          reload();
        }}
        onClose={close}
      />
    )}
  >
    Put {open === 1 ? "it" : `all ${open}`} back…
  </Asking>
);

function kindOf(body: unknown): string {
  const kind = typeof body === "object" && body !== null && "kind" in body ? String(body.kind) : "";
  return KINDS[kind] ?? (kind || "A malformed job");
}

const errorOf = ({ error, body }: Job): JSX.Element => (
  <>
    <code>{error ?? "without words"}</code>
    <details class="small">
      <summary>Its body</summary>
      <pre class="words">{JSON.stringify(body, null, 1)}</pre>
    </details>
  </>
);

function PutBack({ job: { id, putBackAt }, reload }: { job: Job; reload: () => void }): JSX.Element {
  const putting = useAct();
  const putBack = () =>
    putting.run(async () => {
      const { putBack } = await ask<{ putBack: number }>(`/operator/dead-jobs/${id}/put-back`, { method: "POST" });
      tellDone(putBack ? "The job is put back." : "This version cannot read the job.");
      reload();
    });
  if (putBackAt)
    return (
      <div class="row-acts">
        <Status look={{ word: "Put back", shape: "sending", tone: "plain" }} />
        <span class="second">
          <Time at={putBackAt} />
        </span>
      </div>
    );
  return (
    <div class="row-acts">
      <ActButton isSmall isOff={putting.isBusy} onPress={() => void putBack()}>
        Put back
      </ActButton>
      <FailureLine failure={putting.failure} />
    </div>
  );
}
