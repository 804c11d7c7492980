import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ImportAnswer, ImportList, WebsiteList } from "../answers.ts";
import { beginRun, type Import as Chosen, previewImport, type Run, rowsOf, runImport } from "../lib/import-file.ts";
import { countOf } from "../lib/numbers.ts";
import type { Route } from "../lib/router.ts";
import { isOperator } from "../lib/session.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FailureLine } from "../parts/button.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { NoWebsite } from "./first-day.tsx";
import { ImportFaults } from "./import-faults.tsx";
import { ImportForm } from "./import-form.tsx";
import { ImportHistory } from "./import-history.tsx";
import { ImportPreview } from "./import-preview.tsx";
import { ImportDone, ImportRunning, type Running } from "./import-running.tsx";

type State =
  | { is: "choosing" }
  | { is: "looking"; chosen: Chosen; preview: ImportAnswer }
  | ({ is: "running"; chosen: Chosen } & Running)
  | { is: "done"; chosen: Chosen; run: Run; listed: ImportList["imports"][number] | undefined };

const STEPS = ["Choose a file", "Look", "Import"];
const STEP_OF = { choosing: 0, looking: 1, running: 2, done: 2 };

/** Three steps, and nothing is stored before the third. */
export function Import({ route }: { route: Route }): JSX.Element {
  const { data, failure, reload } = useAnswer<WebsiteList>("/operator/websites");
  const [state, setState] = useState<State>({ is: "choosing" });
  const doing = useAct();
  const canChange = isOperator();
  if (!canChange) return <Page title="Only an operator imports people" />;
  if (!data) return <NoAnswer failure={failure} title="Import" onRetry={reload} />;
  if (data.websites.length === 0) return <NoWebsite />;

  const look = (chosen: Chosen) =>
    doing.run(async () => setState({ is: "looking", chosen, preview: await previewImport(chosen) }));
  const send = async (chosen: Chosen, run: Run) => {
    const since = { at: Date.now(), rows: rowsOf(run.pieces.slice(0, run.sent)) };
    const show = () => setState({ is: "running", chosen, run, since });
    show();
    setState({ is: "done", chosen, run, listed: await runImport(chosen, run, show) });
  };

  const chosen = state.is === "choosing" ? null : state.chosen;
  const name = data.websites.find(({ websiteId }) => websiteId === chosen?.websiteId)?.name ?? "";
  return (
    <Page
      title={chosen?.file.name ?? "Import people"}
      crumbs={
        chosen ? [{ label: name, href: `#/websites/${chosen.websiteId}` }, { label: "Import" }] : [{ label: "Import" }]
      }
      lead={leadOf(state, name)}
    >
      <ol class="import-steps">
        {STEPS.map((label, index) => (
          <li key={label} aria-current={index === STEP_OF[state.is] ? "step" : undefined}>
            <span class="step-number" aria-hidden="true">
              {index + 1}
            </span>{" "}
            {label}
          </li>
        ))}
      </ol>
      {state.is === "choosing" && (
        <ImportForm
          websites={data.websites}
          websiteId={route.query.website}
          isBusy={doing.isBusy}
          onChoose={(it) => void look(it)}
        />
      )}
      {state.is === "looking" && (
        <ImportPreview
          preview={state.preview}
          name={name}
          isBusy={doing.isBusy}
          onStart={() => void doing.run(async () => send(state.chosen, await beginRun(state.chosen, state.preview)))}
          onOther={() => setState({ is: "choosing" })}
        />
      )}
      {state.is === "running" && (
        <ImportRunning
          {...state}
          isBroken={doing.failure !== null}
          file={state.chosen.file.name}
          onGoOn={() => void doing.run(() => send(state.chosen, state.run))}
          onOther={() => setState({ is: "choosing" })}
        />
      )}
      {state.is === "done" && (
        <ImportDone
          listed={state.listed}
          run={state.run}
          file={state.chosen.file.name}
          name={name}
          onOther={() => setState({ is: "choosing" })}
        />
      )}
      <FailureLine failure={doing.failure} />
      <ImportFaults failure={doing.failure} />
      {state.is === "choosing" && <ImportHistory />}
    </Page>
  );
}

function leadOf(state: State, name: string): string {
  switch (state.is) {
    case "choosing":
      return "A file with a column phone_numbers. You see what it does before it does it.";
    case "looking":
      return `${state.preview.rows ? `${countOf(state.preview.rows, "row")}. ` : ""}Nothing is stored yet.`;
    case "running":
      return `Importing to ${name}. Keep this page open.`;
    case "done":
      return `Imported to ${name}.`;
  }
}
