import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NewToken, TokenList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { FailureLine } from "../parts/button.tsx";
import { Asking, Confirm } from "../parts/confirm.tsx";
import { CommandLine } from "../parts/copy.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { SecretOnce } from "../parts/secret.tsx";
import { Section, Table, Two } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";

export function Tokens(): JSX.Element {
  const { data, failure, reload } = useAnswer<TokenList>("/operator/tokens", 60, false);
  const [made, setMade] = useState<NewToken | null>(null);
  return (
    <Section
      title="Tokens"
      of="one for each operator"
      act={
        <Asking isSmall dialog={(close) => <NewTokenDialog onMade={setMade} onClose={close} />}>
          New token
        </Asking>
      }
    >
      {!data && <FailureLine failure={failure} />}
      {data?.tokens.length === 0 && <CommandLine line="create-token ada" />}
      {data && data.tokens.length > 0 && <List tokens={data.tokens} reload={reload} />}
      {made && (
        <SecretOnce
          title={`The token of ${made.name}`}
          lead="It is shown this once."
          secrets={[{ name: "Token", value: made.token }]}
          onClose={() => {
            setMade(null);
            reload();
          }}
        />
      )}
    </Section>
  );
}

const List = ({ tokens, reload }: TokenList & { reload: () => void }): JSX.Element => (
  <Table
    label="Tokens"
    rows={tokens}
    keyOf={({ name, createdAt }) => `${name} ${createdAt}`}
    columns={[
      ["Name", ({ name, role }) => <Two first={name} second={role ?? "operator"} />, "head"],
      [
        "Made",
        ({ createdAt, createdBy }) => <Two first={<Time at={createdAt} />} second={`by ${createdBy}`} />,
        "right",
      ],
      ["Ends", ({ endsAt }) => (endsAt ? <Time at={endsAt} /> : "never"), "named"],
      ["End", ({ name }) => <EndToken name={name} reload={reload} />, "number right acts"],
    ]}
  />
);

const EndToken = ({ name, reload }: { name: string; reload: () => void }): JSX.Element => (
  <Asking
    isSmall
    of={`the token of ${name}`}
    dialog={(close) => (
      <Confirm
        title={() => `End the token of ${name}?`}
        lines={[
          {
            icon: "cancelled",
            text: `${name} can do nothing more, and their sessions end. This cannot be undone.`,
          },
          { icon: "audit", text: "What they have changed stays, under their name." },
        ]}
        act={() => "End the token"}
        isDanger
        out="Let it work"
        run={async () => {
          await ask(`/operator/tokens/${encodeURIComponent(name)}`, { method: "DELETE" });
          tellDone(`The token of ${name} is ended.`);
          reload();
        }}
        onClose={close}
      />
    )}
  >
    End…
  </Asking>
);

const ROLES = [
  ["operator", "Everything: operator"],
  ["viewer", "See numbers, change nothing: viewer"],
] as const;

interface NewProps {
  onMade: (made: NewToken) => void;
  onClose: () => void;
}

function NewTokenDialog({ onMade, onClose }: NewProps): JSX.Element {
  const [name, setName] = useState("");
  const [role, setRole] = useState("operator");
  return (
    <Confirm
      title={() => "New token"}
      act={() => "Make the token"}
      out="Make none"
      isOff={name.trim() === ""}
      run={async () => onMade(await ask("/operator/tokens", { method: "POST", body: { name: name.trim(), role } }))}
      onClose={onClose}
    >
      <Field id="token-name" label="Whose is it?" value={name} placeholder="grace" onInput={setName} />
      <Choice id="token-role" label="What may they do?" options={[...ROLES]} value={role} onChange={setRole} />
    </Confirm>
  );
}
