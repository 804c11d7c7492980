import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { attempt } from "../lib/attempt.ts";
import { formatPhone } from "../lib/phones.ts";
import { Confirm } from "../parts/confirm.tsx";
import { revealPhone } from "../parts/masked.tsx";
import { tellDone } from "../parts/toast.tsx";
import { importRow, RowFromShell } from "./by-hand.tsx";

interface Props {
  personId: string;
  websiteId: string;
  name: string;
  reload: () => void;
  onClose: () => void;
}

/** The way back is the person's own, or a client's: there is none here. */
export function OptOut({ personId, websiteId, name, reload, onClose }: Props): JSX.Element | null {
  const [phone, setPhone] = useState("");
  useEffect(() => {
    const show = async () => setPhone(await revealPhone(personId));
    void attempt(show, "The number stays masked").then((isShown) => isShown || onClose());
  }, []);
  if (!phone) return null;
  const row = { websiteId, head: "phone_numbers,subscribed", row: `${phone},false` };
  return (
    <Confirm
      title={() => `Opt ${formatPhone(phone)} out of ${name}?`}
      lines={[
        { icon: "cancelled", text: `They get no more texts of ${name}, nor those that wait.` },
        { icon: "callback", text: "No platform is told. Tell them, or they may subscribe this person again." },
      ]}
      act={() => "Opt them out"}
      out="Keep them subscribed"
      run={async () => {
        await importRow(row);
        tellDone(`They are opted out of ${name}.`);
        reload();
      }}
      onClose={onClose}
    >
      <RowFromShell {...row} />
    </Confirm>
  );
}
