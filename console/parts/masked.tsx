import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RevealedPerson } from "../answers.ts";
import { personHash, personPath } from "../lib/addresses.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import { formatPhone, maskPhone } from "../lib/phones.ts";
import { isOperator } from "../lib/session.ts";
import { tell } from "./toast.tsx";

/** Audited, each time. @throws Failure */
export const revealPhone = async (personId: string): Promise<string> =>
  (await ask<RevealedPerson>(`${personPath(personId)}/reveal`, { method: "POST" })).phone;

/** A number as everybody sees it. */
export const MaskedText = ({ phone }: { phone: string }): JSX.Element => (
  <span class="masked">{formatPhone(maskPhone(phone))}</span>
);

/** A number with the page of its person. */
export function PersonLink({ phone, personId }: { phone: string; personId: string | undefined }): JSX.Element {
  const number = <MaskedText phone={phone} />;
  if (!personId) return number;
  return (
    <a class="row-link" href={personHash(personId)}>
      {number}
    </a>
  );
}

/** A number that an operator can see: a press shows it for as long as the page is open, and is audited. */
export function Masked({ phone, personId }: { phone: string; personId: string | undefined }): JSX.Element {
  const [shown, setShown] = useState<string | null>(null);
  const canChange = isOperator();
  if (!canChange || !personId) return <MaskedText phone={phone} />;
  if (shown !== null) return <span class="masked">{formatPhone(shown)}</span>;
  const reveal = () =>
    attempt(async () => {
      setShown(await revealPhone(personId));
      tell({ text: "The number is shown. The audit log says that you saw it." });
    }, "The number stays masked");
  return (
    <button
      type="button"
      class="masked"
      title="Show the number. The audit log will say so."
      onClick={() => void reveal()}
    >
      {formatPhone(maskPhone(phone))}
    </button>
  );
}
