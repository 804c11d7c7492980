import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Client } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { Asking, Confirm } from "../parts/confirm.tsx";
import { Field } from "../parts/field.tsx";
import { tellDone } from "../parts/toast.tsx";

/** Where the callbacks of a client are posted; an empty field: nowhere. */
export function ChangeEndpoint({ client, reload }: { client: Client; reload: () => void }): JSX.Element {
  const [url, setUrl] = useState(client.callbackUrl ?? "");
  const name = client.name ?? client.clientId;
  const change = async () => {
    const body = { callbackUrl: url.trim() || null };
    await ask(`/operator/clients/${client.clientId}`, { method: "PATCH", body });
    tellDone(body.callbackUrl ? `Callbacks of ${name} go to ${body.callbackUrl}.` : `Nothing is posted to ${name}.`);
    reload();
  };
  return (
    <Asking
      of={name}
      dialog={(close) => (
        <Confirm
          title={() => `The endpoint of ${name}`}
          act={() => "Change the endpoint"}
          out="Leave it as it is"
          isOff={url.trim() === (client.callbackUrl ?? "")}
          run={change}
          onClose={close}
        >
          <Field
            id="endpoint-url"
            label="URL"
            hint="Without one, it reads its events at GET /text/events."
            value={url}
            placeholder="https://"
            onInput={setUrl}
          />
        </Confirm>
      )}
    >
      {client.callbackUrl ? "Change it…" : "Add an endpoint…"}
    </Asking>
  );
}
