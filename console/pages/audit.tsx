import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AuditPage as Answer, AuditEntry } from "../answers.ts";
import { ask, pathOf } from "../lib/ask.ts";
import { type Route, toHash } from "../lib/router.ts";
import { useIsOperator } from "../lib/session.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { Button, FailureLine } from "../parts/button.tsx";
import { FromShell } from "../parts/empty.tsx";
import { FailedPage, LoadingPage, Page } from "../parts/page.tsx";
import { ListEnd, Section } from "../parts/section.tsx";
import { Changes } from "./audit-list.tsx";
import { Sessions } from "./sessions.tsx";
import { Tokens } from "./tokens.tsx";

/** Who may come in, who is in, and what each has done. */
export function AuditPage({ route }: { route: Route }): JSX.Element {
  const { website, client, by } = route.query;
  const path = pathOf("/operator/audit", { website, client, by });
  const { data, failure, reload } = useAnswer<Answer>(path, 30);
  const isOperator = useIsOperator();
  if (!data)
    return failure ? (
      <FailedPage failure={failure} title="Tokens and audit" onRetry={reload} />
    ) : (
      <LoadingPage title="Tokens and audit" />
    );
  const only = [website && `website ${website}`, client && `client ${client.slice(0, 8)}`, by && `by ${by}`]
    .filter(Boolean)
    .join(", ");
  return (
    <Page title="Tokens and audit" lead="Each operator has a token of their own, and each change has its entry.">
      {isOperator && (
        <div class="halves">
          <Tokens />
          <Sessions />
        </div>
      )}
      <Section
        title="Changes"
        of={only || "the newest first"}
        act={only && <a href={toHash(["audit"])}>All of them</a>}
      >
        <Entries key={path} first={data} path={path} />
      </Section>
      <FromShell line="npm run operator -- audit" />
    </Page>
  );
}

function Entries({ first, path }: { first: Answer; path: string }): JSX.Element {
  const [older, setOlder] = useState<AuditEntry[]>([]);
  const [next, setNext] = useState(first.next);
  const loading = useAct();
  const load = () =>
    loading.run(async () => {
      const page = await ask<Answer>(
        `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(next ?? "")}`,
      );
      setOlder([...older, ...page.entries]);
      setNext(page.next);
    });
  return (
    <>
      <Changes entries={[...first.entries, ...older]} />
      {next && (
        <ListEnd
          older={
            <Button isSmall isOff={loading.isBusy} onPress={() => void load()}>
              Older
            </Button>
          }
        >
          Newest first.
        </ListEnd>
      )}
      <FailureLine failure={loading.failure} />
    </>
  );
}
