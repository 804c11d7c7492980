import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NewSecrets } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { FailureLine } from "../parts/button.tsx";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { SecretOnce } from "../parts/secret.tsx";

/** A client is the platform that sends. Its secrets are shown once. */
export function NewClient({
  websiteId,
  onClose,
  reload,
}: {
  websiteId: string;
  onClose: () => void;
  reload: () => void;
}): JSX.Element {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [made, setMade] = useState<NewSecrets | null>(null);
  const making = useAct();
  const make = () =>
    making.run(async () => {
      const body = { name: name.trim(), callbackUrl: url.trim() };
      setMade(await ask<NewSecrets>(`/operator/websites/${websiteId}/clients`, { method: "POST", body }));
      reload();
    });
  if (made) {
    return (
      <SecretOnce
        title={`Credentials of ${name || "the client"}`}
        lead="The secrets are shown this once. Give them to its developers on a way that you trust."
        secrets={[
          { name: "Client id", value: made.clientId ?? "" },
          { name: "Client secret", value: made.clientSecret },
          { name: "Callback secret", value: made.callbackSecret },
        ]}
        onClose={onClose}
      />
    );
  }
  const isOff = making.isBusy || name.trim() === "";
  const buttons = <DialogButtons out="Make none" act="Make the client" isOff={isOff} onOut={onClose} onAct={make} />;
  return (
    <Dialog title="New client" onClose={onClose} buttons={buttons}>
      <Field
        id="client-name"
        label="Name"
        hint="Of the platform that sends."
        value={name}
        placeholder="braze"
        onInput={setName}
      />
      <Field
        id="client-url"
        label="Endpoint"
        hint="Where its callbacks are posted. Without one, it reads its events at GET /text/events."
        value={url}
        placeholder="https://"
        onInput={setUrl}
      />
      <FailureLine failure={making.failure} />
    </Dialog>
  );
}
