import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { personHash } from "../lib/addresses.ts";
import { personIn } from "../lib/phones.ts";
import { findPerson } from "../lib/search.ts";
import { go } from "../lib/use-route.ts";
import { Confirm } from "../parts/confirm.tsx";
import { DayField, Field } from "../parts/field.tsx";
import { tellDone } from "../parts/toast.tsx";
import { importRow, RowFromShell } from "./by-hand.tsx";

interface Props {
  websiteId: string;
  website: string;
  onClose: () => void;
}

const HEAD = "phone_numbers,subscribed,consented_at,evidence";

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** One person with the proof of their consent. */
export function NewPerson({ websiteId, website, onClose }: Props): JSX.Element {
  const [number, setNumber] = useState("");
  const [agreed, setAgreed] = useState("");
  const [evidence, setEvidence] = useState("");
  const phone = personIn(number) ?? number.trim();
  const isComplete = phone && agreed && evidence.trim();
  const cells = [
    phone || "+12065550142",
    "true",
    new Date(agreed || 0).toISOString(),
    evidence.trim() || "paper form 118",
  ];
  const row = cells.map(quoted).join(",");
  const add = async () => {
    await importRow({ websiteId, head: HEAD, row });
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
      <RowFromShell {...{ websiteId, head: HEAD, row, isOff: !isComplete }} />
    </Confirm>
  );
}
