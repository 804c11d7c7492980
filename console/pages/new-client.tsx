import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { NewSecrets } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { Button, FailureLine } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
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
  return (
    <Dialog
      title="New client"
      onClose={onClose}
      buttons={
        <>
          <span class="gap" />
          <Button onPress={onClose}>Make none</Button>
          <Button kind="dark" isOff={making.isBusy || name.trim() === ""} onPress={() => void make()}>
            Make the client
          </Button>
        </>
      }
    >
      <div class="field">
        <label for="client-name">Name</label>
        <input
          id="client-name"
          value={name}
          autocomplete="off"
          placeholder="braze"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <p class="hint">Of the platform that sends.</p>
      </div>
      <div class="field">
        <label for="client-url">Endpoint</label>
        <input
          id="client-url"
          value={url}
          autocomplete="off"
          inputMode="url"
          placeholder="https://"
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
        <p class="hint">Where its callbacks are posted. Without one, it reads its events at GET /text/events.</p>
      </div>
      <FailureLine failure={making.failure} />
    </Dialog>
  );
}
