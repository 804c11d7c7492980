import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Client } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Dialog, DialogButtons } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { tellDone } from "../parts/toast.tsx";

/** Where the callbacks of a client are posted; an empty field: nowhere. */
export function ChangeEndpoint({ client, reload }: { client: Client; reload: () => void }): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const [url, setUrl] = useState(client.callbackUrl ?? "");
  const changing = useAct();
  const name = client.name ?? client.clientId;
  const close = () => setAsking(false);
  const change = () =>
    changing.run(async () => {
      const body = { callbackUrl: url.trim() || null };
      await ask(`/operator/clients/${client.clientId}`, { method: "PATCH", body });
      tellDone(body.callbackUrl ? `Callbacks of ${name} go to ${body.callbackUrl}.` : `Nothing is posted to ${name}.`);
      close();
      reload();
    });
  return (
    <>
      <ActButton of={name} onPress={() => setAsking(true)}>
        {client.callbackUrl ? "Change it…" : "Add an endpoint…"}
      </ActButton>
      {isAsking && (
        <Dialog
          title={`The endpoint of ${name}`}
          onClose={close}
          buttons={
            <DialogButtons
              out="Leave it as it is"
              act="Change the endpoint"
              isOff={changing.isBusy || url.trim() === (client.callbackUrl ?? "")}
              onOut={close}
              onAct={() => void change()}
            />
          }
        >
          <Field
            id="endpoint-url"
            label="URL"
            hint="https, on no private network. Everywhere within 90 seconds. Without one, it reads its events at GET /text/events."
            value={url}
            placeholder="https://"
            onInput={setUrl}
          />
          <FailureLine failure={changing.failure} />
        </Dialog>
      )}
    </>
  );
}
