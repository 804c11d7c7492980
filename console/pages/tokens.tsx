import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NewToken, TokenList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton, Button, FailureLine } from "../parts/button.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { CommandLine } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { SecretOnce } from "../parts/secret.tsx";
import { Head, Rows, Section } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { tell } from "../parts/toast.tsx";

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
                  <ActButton isSmall label={`End the token of ${name}`} onPress={() => setEnding(name)}>
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
            tell({ text: `The token of ${ending} is ended.`, link: { label: "Audit entry", href: "#/audit" } });
            reload();
          }}
          onClose={() => setEnding(null)}
        />
      )}
    </Section>
  );
}

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
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      buttons={
        <>
          <span class="gap" />
          <Button onPress={onClose}>Make none</Button>
          <Button kind="dark" isOff={making.isBusy || name.trim() === ""} onPress={() => void make()}>
            Make the token
          </Button>
        </>
      }
    >
      <div class="field">
        <label for="token-name">Whose is it?</label>
        <input
          id="token-name"
          value={name}
          autocomplete="off"
          placeholder="grace"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="token-role">What may they do?</label>
        <select id="token-role" value={role} onChange={(event) => setRole(event.currentTarget.value)}>
          <option value="operator">Everything: operator</option>
          <option value="viewer">See numbers, change nothing: viewer</option>
        </select>
      </div>
      <FailureLine failure={making.failure} />
    </Dialog>
  );
}
