import type { JSX } from "preact";
import type { AuditPage as Answer } from "../answers.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { isOperator } from "../lib/session.ts";
import { commandOf } from "../lib/shell-command.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { useOlder } from "../lib/use-older.ts";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { ListEnd, Section } from "../parts/section.tsx";
import { Changes } from "./audit-list.tsx";
import { Sessions } from "./sessions.tsx";
import { Tokens } from "./tokens.tsx";

/** Who may come in, who is in, and what each has done. */
export function AuditPage({ route }: { route: Route }): JSX.Element {
  const { website, client, by } = route.query;
  const path = pathOf("/operator/audit", { website, client, by });
  const { data, failure, reload } = useAnswer<Answer>(path, 30);
  const canChange = isOperator();
  if (!data) return <NoAnswer failure={failure} title="Tokens and audit" onRetry={reload} />;
  const only = [website && `website ${website}`, client && `client ${client.slice(0, 8)}`, by && `by ${by}`]
    .filter(Boolean)
    .join(", ");
  return (
    <Page title="Tokens and audit">
      {canChange && (
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
      <FromShell line={commandOf("audit", [], { website, client, by })} />
    </Page>
  );
}

function Entries({ first, path }: { first: Answer; path: string }): JSX.Element {
  const older = useOlder(first, path, (page) => page.entries);
  return (
    <>
      <Changes entries={[...first.entries, ...older.rows]} />
      <ListEnd older={older}>Newest first.</ListEnd>
    </>
  );
}
