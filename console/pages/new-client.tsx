import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NewSecrets } from "../answers.ts";
import { websitePath } from "../lib/addresses.ts";
import { ask } from "../lib/ask.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Field } from "../parts/field.tsx";

interface Props {
  websiteId: string;
  onMade: (name: string, secrets: NewSecrets) => void;
  onClose: () => void;
}

/** A client is the platform that sends. */
export function NewClient({ websiteId, onMade, onClose }: Props): JSX.Element {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  return (
    <Confirm
      title={() => "New client"}
      act={() => "Make the client"}
      out="Make none"
      isOff={name.trim() === ""}
      run={async () => {
        const body = { name: name.trim(), callbackUrl: url.trim() };
        onMade(body.name, await ask(`${websitePath(websiteId)}/clients`, { method: "POST", body }));
      }}
      onClose={onClose}
    >
      <Field id="client-name" label="Name" value={name} placeholder="braze" onInput={setName} />
      <Field
        id="client-url"
        label="Endpoint"
        hint="Without one, it reads its events at GET /text/events."
        value={url}
        placeholder="https://"
        onInput={setUrl}
      />
    </Confirm>
  );
}
