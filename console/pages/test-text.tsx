import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../lib/ask.ts";
import { personIn } from "../lib/phones.ts";
import { commandOf } from "../lib/shell-command.ts";
import { go } from "../lib/use-route.ts";
import { Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Field } from "../parts/field.tsx";

interface Props {
  clientId: string;
  name: string;
  onClose: () => void;
}

/** As long as most are. */
const EXAMPLE = "+12065550142";

/** One text as the client sends it: its page then says what becomes of it. */
export function TestText({ clientId, name, onClose }: Props): JSX.Element {
  const [number, setNumber] = useState("");
  const [text, setText] = useState("Hello from Textgate.");
  const phone = personIn(number) ?? number.trim();
  const send = async () => {
    const body = { phone, text };
    const path = `/operator/clients/${clientId}/test-text`;
    const { messageId } = await ask<{ messageId: string }>(path, { method: "POST", body });
    go(`#/messages/${messageId}`);
  };
  return (
    <Confirm
      title={() => `Send a test text as ${name}`}
      act={() => "Send the text"}
      out="Send none"
      isOff={phone === "" || text.trim() === ""}
      run={send}
      onClose={onClose}
    >
      <Field
        id="test-number"
        label="Number"
        hint="It goes only to a person who is subscribed."
        value={number}
        onInput={setNumber}
      />
      <Field id="test-words" label="Text" value={text} onInput={setText} />
      <FromShell line={commandOf("test-text", [clientId, phone || EXAMPLE, text])} isOff={!phone} />
    </Confirm>
  );
}
