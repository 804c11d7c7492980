import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Client, Endpoint, NewSecrets, WebsiteWithClients } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import type { Look } from "../lib/status-words.ts";
import { formatTime } from "../lib/times.ts";
import { ActButton } from "../parts/button.tsx";
import { Confirm } from "../parts/confirm.tsx";
import { CommandLine } from "../parts/copy.tsx";
import { SecretOnce } from "../parts/secret.tsx";
import { Section } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { tellDone } from "../parts/toast.tsx";
import { Credentials, EndpointHealth } from "./client-parts.tsx";
import { NewClient } from "./new-client.tsx";

interface Props {
  website: WebsiteWithClients;
  endpoints: Endpoint[];
  reload: () => void;
}

export function Clients({ website, endpoints, reload }: Props): JSX.Element {
  const [isNew, setNew] = useState(false);
  return (
    <Section
      id="clients"
      title="Clients"
      act={
        <ActButton isSmall onPress={() => setNew(true)}>
          New client
        </ActButton>
      }
    >
      {website.clients.length === 0 && (
        <>
          <p>No client yet: no platform can send for {website.name}.</p>
          <CommandLine line={`npm run operator -- create-client ${website.websiteId} --name braze`} />
        </>
      )}
      {website.clients.map((client) => (
        <ClientCard
          key={client.clientId}
          client={client}
          endpoint={endpoints.find((it) => it.clientId === client.clientId)}
          reload={reload}
        />
      ))}
      {isNew && <NewClient websiteId={website.websiteId} onClose={() => setNew(false)} reload={reload} />}
    </Section>
  );
}

function lookOfClient({ suspended }: Client, endpoint: Endpoint | undefined): Look {
  if (suspended) return { word: "Suspended", shape: "held", tone: "plain" };
  if (endpoint?.failing) return { word: "Endpoint fails", shape: "failed", tone: "bad" };
  return { word: "Working", shape: "delivered", tone: "ok" };
}

export const nameOfClient = ({ name, clientId }: Client) => name ?? clientId.slice(0, 8);

function ClientCard({
  client,
  endpoint,
  reload,
}: {
  client: Client;
  endpoint: Endpoint | undefined;
  reload: () => void;
}): JSX.Element {
  const [asked, setAsked] = useState<"rotate" | "suspend" | null>(null);
  const [secrets, setSecrets] = useState<NewSecrets | null>(null);
  const name = nameOfClient(client);
  const path = `/operator/clients/${client.clientId}`;
  const setSuspended = async (suspended: boolean) => {
    await ask(path, { method: "PATCH", body: { suspended } });
    tellDone(
      suspended
        ? `${name} is refused, everywhere within 90 seconds.`
        : `${name} can send again, everywhere within 90 seconds.`,
      suspended ? letSend : undefined,
    );
    reload();
  };
  const letSend = () => void attempt(() => setSuspended(false), `${name} stays suspended`);
  return (
    <article class="client">
      <header>
        <h3>{name}</h3>
        <Status look={lookOfClient(client, endpoint)} soft />
        <div class="row-acts">
          {client.suspended ? (
            <ActButton isSmall of={name} onPress={letSend}>
              Let it send again
            </ActButton>
          ) : (
            <ActButton isSmall of={name} onPress={() => setAsked("suspend")}>
              Suspend…
            </ActButton>
          )}
          <ActButton isSmall of={name} onPress={() => setAsked("rotate")}>
            Rotate secret…
          </ActButton>
        </div>
      </header>
      <div class="card-grid">
        <Credentials client={client} endpoint={endpoint} />
        <EndpointHealth key={client.callbackUrl} client={client} endpoint={endpoint} reload={reload} />
      </div>
      {asked === "suspend" && (
        <Confirm
          title={() => `Suspend ${name}?`}
          lines={[
            {
              icon: "cancelled",
              text: `Its requests are refused with 403, everywhere within 90 seconds. You can undo it.`,
            },
            { icon: "waiting", text: "Texts that were accepted still go. To stop those too, hold what waits." },
          ]}
          act={() => `Suspend ${name}`}
          out="Let it send"
          run={() => setSuspended(true)}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === "rotate" && (
        <Confirm
          title={() => `Rotate the secret of ${name}?`}
          lines={[
            { icon: "shield", text: "You get a new secret, and a new one for callbacks, shown once." },
            {
              icon: "waiting",
              text: `The present ones stay valid for 24 hours, until ${formatTime(Date.now() + 86_400_000, Date.now())}. Both work meanwhile.`,
            },
          ]}
          act={() => "Make new secrets"}
          out="Keep the present ones"
          run={async () =>
            setSecrets(await ask<NewSecrets>(`${path}/rotate`, { method: "POST", body: { graceSeconds: 86_400 } }))
          }
          onClose={() => setAsked(null)}
        />
      )}
      {secrets && (
        <SecretOnce
          title={`New secrets of ${name}`}
          lead="They are shown this once. Give them to its developers on a way that you trust."
          secrets={[
            { name: "Client secret", value: secrets.clientSecret },
            { name: "Callback secret", value: secrets.callbackSecret },
          ]}
          onClose={() => {
            setSecrets(null);
            reload();
          }}
        />
      )}
    </article>
  );
}
