import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Client, NewSecrets, WebsiteWithClients } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { attempt } from "../lib/attempt.ts";
import type { Look } from "../lib/status-words.ts";
import { formatTime } from "../lib/times.ts";
import { ActButton } from "../parts/button.tsx";
import { Asking, Confirm } from "../parts/confirm.tsx";
import { CommandLine } from "../parts/copy.tsx";
import { SecretOnce } from "../parts/secret.tsx";
import { Section } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { tellDone } from "../parts/toast.tsx";
import { Credentials, EndpointHealth } from "./client-parts.tsx";
import { NewClient } from "./new-client.tsx";
import { TestText } from "./test-text.tsx";

interface Props {
  website: WebsiteWithClients;
  reload: () => void;
}

export function Clients({ website, reload }: Props): JSX.Element {
  const [made, setMade] = useState<Made | null>(null);
  const onMade = (name: string, secrets: NewSecrets) => setMade({ name, secrets });
  return (
    <Section
      id="clients"
      title="Clients"
      act={
        <Asking isSmall dialog={(close) => <NewClient websiteId={website.websiteId} onMade={onMade} onClose={close} />}>
          New client
        </Asking>
      }
    >
      {website.clients.length === 0 && (
        <>
          <p>No client yet: no platform can send for {website.name}.</p>
          <CommandLine line={`create-client ${website.websiteId} --name braze`} />
        </>
      )}
      {website.clients.map((client) => (
        <ClientCard key={client.clientId} client={client} onMade={onMade} reload={reload} />
      ))}
      {made && (
        <SecretOnce
          title={`Credentials of ${made.name}`}
          lead="They are shown this once."
          secrets={[
            ...("clientId" in made.secrets ? [{ name: "Client id", value: made.secrets.clientId }] : []),
            { name: "Client secret", value: made.secrets.clientSecret },
            { name: "Callback secret", value: made.secrets.callbackSecret },
          ]}
          onClose={() => {
            setMade(null);
            reload();
          }}
        />
      )}
    </Section>
  );
}

interface Made {
  name: string;
  secrets: NewSecrets;
}

function lookOfClient({ suspended, posts }: Client): Look {
  if (suspended) return { word: "Suspended", shape: "held", tone: "plain" };
  if (posts.failing) return { word: "Endpoint fails", shape: "failed", tone: "bad" };
  return { word: "Working", shape: "delivered", tone: "ok" };
}

export const nameOfClient = ({ name, clientId }: Client) => name ?? clientId.slice(0, 8);

interface CardProps {
  client: Client;
  onMade: (name: string, secrets: NewSecrets) => void;
  reload: () => void;
}

function ClientCard({ client, onMade, reload }: CardProps): JSX.Element {
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
  const suspend = (close: () => void) => (
    <Confirm
      title={() => `Suspend ${name}?`}
      lines={[
        {
          icon: "cancelled",
          text: "Its requests are refused. You can undo it.",
        },
        { icon: "waiting", text: "Texts that were accepted still go. To stop those too, hold them." },
      ]}
      act={() => `Suspend ${name}`}
      out="Let it send"
      run={() => setSuspended(true)}
      onClose={close}
    />
  );
  const rotate = (close: () => void) => (
    <Confirm
      title={() => `Rotate the secret of ${name}?`}
      lines={[
        { icon: "shield", text: "You get new ones, shown once." },
        {
          icon: "waiting",
          text: `The present ones stay valid for 24 hours, until ${formatTime(Date.now() + 86_400_000, Date.now())}. If they are not 10 minutes old, those before them do.`,
        },
      ]}
      act={() => "Make new secrets"}
      out="Keep the present ones"
      run={async () => {
        const body = { graceSeconds: 86_400 };
        onMade(name, await ask<NewSecrets>(`${path}/rotate`, { method: "POST", body }));
      }}
      onClose={close}
    />
  );
  return (
    <article class="client">
      <header>
        <h3>{name}</h3>
        <Status look={lookOfClient(client)} soft />
        <div class="row-acts">
          <a class="button small" href={`#/websites/${client.websiteId}/clients/${client.clientId}`}>
            Events
          </a>
          <Asking
            isSmall
            of={name}
            dialog={(onClose) => <TestText clientId={client.clientId} {...{ name, onClose }} />}
          >
            Test text…
          </Asking>
          {client.suspended ? (
            <ActButton isSmall of={name} onPress={letSend}>
              Let it send again
            </ActButton>
          ) : (
            <Asking isSmall of={name} dialog={suspend}>
              Suspend…
            </Asking>
          )}
          <Asking isSmall of={name} dialog={rotate}>
            Rotate secret…
          </Asking>
        </div>
      </header>
      <div class="card-grid">
        <Credentials client={client} />
        <EndpointHealth key={client.callbackUrl} client={client} reload={reload} />
      </div>
    </article>
  );
}
