import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { inShell } from "../../src/operator/in-shell.ts";
import type { ImportAnswer } from "../answers.ts";
import { personHash, websitePath } from "../lib/addresses.ts";
import { ask, Failure } from "../lib/ask.ts";
import { personIn } from "../lib/phones.ts";
import { findPerson } from "../lib/search.ts";
import { commandOf } from "../lib/shell-command.ts";
import { go } from "../lib/use-route.ts";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { DayField, Field } from "../parts/field.tsx";
import { tellDone } from "../parts/toast.tsx";

interface Props {
  websiteId: string;
  website: string;
  onClose: () => void;
}

const HEAD = "phone_numbers,subscribed,consented_at,evidence";

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** One person with the proof of their consent: an import of one row, so that whoever has opted out stays so. */
export function NewPerson({ websiteId, website, onClose }: Props): JSX.Element {
  const [number, setNumber] = useState("");
  const [agreed, setAgreed] = useState("");
  const [evidence, setEvidence] = useState("");
  const phone = personIn(number) ?? number.trim();
  const isComplete = phone && agreed && evidence.trim();
  const row = isComplete ? [phone, "true", new Date(agreed).toISOString(), evidence.trim()].map(quoted).join(",") : "";
  const add = async () => {
    const csv = new Blob([`${HEAD}\n${row}\n`]);
    const done = await ask<ImportAnswer>(`${websitePath(websiteId)}/subscribers?file=by+hand`, { method: "POST", csv });
    const fault = faultIn(done);
    if (fault) throw new Failure(400, { code: 40001, message: fault }, null);
    tellDone(`They are subscribed to ${website}.`);
    go(personHash((await findPerson(phone)).personId));
  };
  return (
    <Confirm
      title={() => `Add a person to ${website}`}
      act={() => "Subscribe them"}
      out="Add nobody"
      isOff={!isComplete}
      run={add}
      onClose={onClose}
    >
      <Field id="new-number" label="Number" value={number} placeholder="+1 206 555 0142" onInput={setNumber} />
      <DayField id="new-agreed" label="When they agreed" type="datetime-local" value={agreed} onChange={setAgreed} />
      <Field
        id="new-evidence"
        label="How they agreed"
        placeholder="paper form 118"
        value={evidence}
        onInput={setEvidence}
      />
      {row && (
        <FromShell
          line={commandOf("import-subscribers", [websiteId, "-"])}
          around={[`printf '%s\\n' ${HEAD} ${inShell(row)} | `]}
        />
      )}
    </Confirm>
  );
}

/** Why they are not subscribed; null: they are. */
function faultIn({
  invalidPhoneNumbers,
  invalidCells,
  optedOutNumbers,
  keptUnsubscribed,
}: ImportAnswer): string | null {
  if (invalidPhoneNumbers.length > 0) return `The number ${invalidCells?.[0]?.message ?? "is none"}.`;
  if (optedOutNumbers) return "They have opted out themselves: only their START brings them back.";
  return keptUnsubscribed > 0 ? "Somebody has opted them out." : null;
}
