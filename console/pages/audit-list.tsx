import type { JSX } from "preact";
import type { AuditEntry } from "../answers.ts";
import { actionWords, differencesOf } from "../lib/audit-words.ts";
import { shortId } from "../parts/copy.tsx";
import { Table } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";

/** Who, what, and only the difference. */
export function Changes({ entries }: { entries: AuditEntry[] }): JSX.Element {
  if (entries.length === 0) return <p>Nothing was changed yet.</p>;
  return (
    <Table
      label="Changes, the newest first"
      rows={entries}
      keyOf={({ at, requestId, action }) => `${at} ${requestId} ${action}`}
      columns={[
        ["When", ({ at }) => <Time at={at} />, "small"],
        [
          "Who did what",
          (entry) => (
            <>
              <strong>{entry.operator}</strong> {actionWords(entry.action)}{" "}
              {entry.outcome === "failed" && <Status look={{ word: "failed", shape: "failed", tone: "bad" }} />}
              <Subject entry={entry} />
            </>
          ),
          "wide",
        ],
        ["The difference", (entry) => <Difference entry={entry} />, "wide"],
        ["Request", ({ requestId }) => <code title={requestId}>{shortId(requestId)}</code>, "right"],
      ]}
    />
  );
}

function Subject({ entry }: { entry: AuditEntry }): JSX.Element | null {
  const { websiteId, clientId, subject } = entry;
  if (!websiteId && !clientId && !subject) return null;
  return (
    <span class="second">
      {websiteId && <a href={`#/websites/${websiteId}`}>{websiteId}</a>}
      {[clientId && `client ${shortId(clientId)}`, subject].filter(Boolean).map((words, index) => (
        <span key={words}>
          {(websiteId || index > 0) && " · "}
          {words}
        </span>
      ))}
    </span>
  );
}

function Difference({ entry }: { entry: AuditEntry }): JSX.Element {
  const differences = differencesOf(entry);
  if (differences.length === 0) return <span class="dim">–</span>;
  return (
    <ul class="diff">
      {differences.map(({ name, before, after }) => (
        <li key={name}>
          {name}: {before !== null && <del>{before}</del>} {before !== null && after !== null && "→"}{" "}
          {after !== null && <ins>{after}</ins>}
          {after === null && " → nothing"}
        </li>
      ))}
    </ul>
  );
}
