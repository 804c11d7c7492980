import type { JSX } from "preact";
import type { AccountList } from "../answers.ts";
import type { Look } from "../lib/status-words.ts";
import { formatDate } from "../lib/times.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FromShell } from "../parts/empty.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Table, Two } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";

type Account = AccountList["accounts"][number];

const READY: Look = { word: "Set up", shape: "delivered", tone: "ok" };
const UNREADABLE: Look = { word: "Set it again", shape: "problem", tone: "bad" };

export function Accounts(): JSX.Element {
  const { data, failure, reload } = useAnswer<AccountList>("/operator/accounts", 30);
  if (!data) return <NoAnswer failure={failure} title="Accounts" onRetry={reload} />;
  return (
    <Page title="Accounts at carriers">
      {data.accounts.length === 0 ? (
        <p>None. The carriers of the environment serve all websites.</p>
      ) : (
        <Table
          label="Accounts at carriers"
          rows={data.accounts}
          keyOf={({ name }) => name}
          columns={[
            ["Account", ({ name, carrier }) => <Two first={name} second={carrier} />, "head"],
            ["Websites", websitesOf, "wide"],
            ["Changed", ({ updatedAt }) => formatDate(updatedAt), "named"],
            ["Now", ({ isReadable }) => <Status look={isReadable ? READY : UNREADABLE} />, "right"],
          ]}
        />
      )}
      <FromShell line="accounts" />
    </Page>
  );
}

const websitesOf = ({ websiteIds }: Account): JSX.Element[] | string =>
  websiteIds.length === 0
    ? "none"
    : websiteIds.map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <a href={`#/websites/${id}`}>{id}</a>
        </span>
      ));
