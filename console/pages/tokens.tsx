import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NewToken, TokenList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { CommandLine } from "../parts/copy.tsx";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { SecretOnce } from "../parts/secret.tsx";
import { Head, Rows, Section } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";

export function Tokens(): JSX.Element {
  const { data, failure, reload } = useAnswer<TokenList>("/operator/tokens", 60, false);
  const [isNew, setNew] = useState(false);
  const [ending, setEnding] = useState<string | null>(null);
  return (
    <Section
      title="Tokens"
      of="one for each operator"
      act={
        <ActButton isSmall onPress={() => setNew(true)}>
          New token
        </ActButton>
      }
    >
      {!data && <FailureLine failure={failure} />}
      {data?.tokens.length === 0 && <CommandLine line="npm run operator -- create-token ada" />}
      {data && data.tokens.length > 0 && (
        <Rows class="phone" label="Tokens">
          <Head columns={["Name", "Made", "Ends", "End"]} unseen="End" />
          <tbody>
            {data.tokens.map(({ name, role, createdAt, createdBy, endsAt }) => (
              <tr key={`${name} ${createdAt}`}>
                <th scope="row">
                  {name}
                  <span class="second">{role ?? "operator"}</span>
                </th>
                <td class="right">
                  <Time at={createdAt} />
                  <span class="second">by {createdBy}</span>
                </td>
                <td data-label="Ends">{endsAt ? <Time at={endsAt} /> : "never"}</td>
                <td class="number right">
                  <ActButton isSmall of={`the token of ${name}`} onPress={() => setEnding(name)}>
                    End…
                  </ActButton>
                </td>
              </tr>
            ))}
          </tbody>
        </Rows>
      )}
      {isNew && <NewTokenDialog onClose={() => setNew(false)} reload={reload} />}
      {ending !== null && (
        <Confirm
          title={() => `End the token of ${ending}?`}
          lines={[
            {
              icon: "cancelled",
              text: `${ending} can do nothing more, and their sessions end. This cannot be undone: a new token can be made.`,
            },
            { icon: "audit", text: "What they have changed stays, under their name." },
          ]}
          act={() => "End the token"}
          isDanger
          out="Let it work"
          run={async () => {
            await ask(`/operator/tokens/${encodeURIComponent(ending)}`, { method: "DELETE" });
            tellDone(`The token of ${ending} is ended.`);
            reload();
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </Section>
  );
}

const ROLES = [
  ["operator", "Everything: operator"],
  ["viewer", "See numbers, change nothing: viewer"],
] as const;

function NewTokenDialog({ onClose, reload }: { onClose: () => void; reload: () => void }): JSX.Element {
  const [name, setName] = useState("");
  const [role, setRole] = useState("operator");
  const [made, setMade] = useState<NewToken | null>(null);
  const making = useAct();
  const make = () =>
    making.run(async () => {
      setMade(await ask<NewToken>("/operator/tokens", { method: "POST", body: { name: name.trim(), role } }));
      reload();
    });
  if (made)
    return (
      <SecretOnce
        title={`The token of ${made.name}`}
        lead="It is shown this once."
        secrets={[{ name: "Token", value: made.token }]}
        onClose={onClose}
      />
    );
  const isOff = making.isBusy || name.trim() === "";
  const buttons = <DialogButtons out="Make none" act="Make the token" isOff={isOff} onOut={onClose} onAct={make} />;
  return (
    <Dialog title="New token" onClose={onClose} buttons={buttons}>
      <Field id="token-name" label="Whose is it?" value={name} placeholder="grace" onInput={setName} />
      <Choice id="token-role" label="What may they do?" options={[...ROLES]} value={role} onChange={setRole} />
      <FailureLine failure={making.failure} />
    </Dialog>
  );
}
