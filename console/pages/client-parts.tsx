import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Client, Posts, TestEvent } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { countOf, formatCount, formatShare, sumOf } from "../lib/numbers.ts";
import { isTaken } from "../lib/story.ts";
import { formatShortSpan, formatSpan, formatTime } from "../lib/times.ts";
import { useAct } from "../lib/use-act.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";
import { Fact } from "../parts/fact.tsx";
import { EndpointStrip } from "../parts/strip.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { ChangeEndpoint } from "./change-endpoint.tsx";

const REFUSALS: Record<string, string> = {
  "secret-malformed": "the secret does not have the form of one",
  "secret-wrong": "the secret is wrong",
  "secret-replaced": "the secret was replaced",
  suspended: "it is suspended",
  "operation-denied": "it may not do this",
  "rate-exceeded": "too many at once",
  "daily-limit-reached": "over the daily limit",
};

export function Credentials({ client }: { client: Client }): JSX.Element {
  const now = useNow();
  const { clientId, secrets, lastUsedAt, lastRefusal, operations } = client;
  const [present, old] = secrets;
  const isOldInUse = old?.lastUsedAt && now - Date.parse(old.lastUsedAt) < 86_400_000;
  return (
    <div>
      <h4>Credentials</h4>
      <dl class="facts">
        <Fact name="Client id">
          <Copy value={clientId} what="The client id" />
        </Fact>
        {present && (
          <Fact name="Secret">
            ends in <code>…{present.endsIn}</code>, since <Time at={present.since} />
          </Fact>
        )}
        {old?.validUntil && (
          <Fact name="Old secret">
            ends in <code>…{old.endsIn}</code>, valid until <Time at={old.validUntil} />.{" "}
            {old.lastUsedAt && (
              <span class={isOldInUse ? "wait" : ""}>Used {formatSpan(now - Date.parse(old.lastUsedAt))} ago.</span>
            )}
          </Fact>
        )}
        <Fact name="Last used">
          {lastUsedAt ? (
            <>
              about <Time at={lastUsedAt} />, {formatSpan(Math.max(0, now - Date.parse(lastUsedAt)))} ago
            </>
          ) : (
            "never"
          )}
        </Fact>
        {lastRefusal && (
          <Fact name="Last refused">
            <Time at={lastRefusal.at} />, {REFUSALS[lastRefusal.cause] ?? lastRefusal.cause}
          </Fact>
        )}
        <Fact name="May">{operations.join(", ")}</Fact>
      </dl>
    </div>
  );
}

interface EndpointProps {
  client: Client;
  reload: () => void;
}

export function EndpointHealth({ client, reload }: EndpointProps): JSX.Element {
  if (client.callbackUrl === null) {
    return (
      <div>
        <h4>Endpoint</h4>
        <p>Without one, it reads its events at GET /text/events.</p>
        <div class="card-acts">
          <ChangeEndpoint client={client} reload={reload} />
        </div>
      </div>
    );
  }
  return (
    <div>
      <h4>Endpoint</h4>
      <Copy value={client.callbackUrl} what="The URL of the endpoint" isWhole />
      <Health posts={client.posts} />
      <TestButton client={client} reload={reload} />
    </div>
  );
}

function Health({ posts }: { posts: Posts }): JSX.Element {
  const now = useNow(60);
  const { slots, failing, meanMilliseconds: mean, slowestMilliseconds: slowest, lastFailure } = posts;
  const taken = sumOf(slots, "taken");
  const posted = taken + sumOf(slots, "failed");
  const span = (milliseconds: number | null) => (milliseconds === null ? "–" : formatShortSpan(milliseconds));
  if (posted === 0 && !failing) return <p class="dim">Nothing was posted in the last 24 hours.</p>;
  return (
    <>
      <EndpointStrip slots={slots} />
      <div class="endpoint-ends">
        <span>24 hours ago</span>
        {failing ? <span class="bad">fails since {formatTime(failing.since, now)}</span> : <span>now</span>}
      </div>
      <div class="card-numbers">
        {failing && (
          <span>
            <strong class="bad">{formatCount(failing.failures)}</strong>failed in a row
          </span>
        )}
        <span>
          <strong>{formatShare(taken, posted)}</strong>of {countOf(posted, "callback")} in 24 hours were answered 2xx
        </span>
        <span>
          <strong>{span(mean)}</strong>on average, {span(slowest)} the slowest
        </span>
      </div>
      {lastFailure && (
        <details open={failing !== null}>
          <summary>
            Last failure, <Time at={lastFailure.at} />
          </summary>
          <pre class="words">
            {[lastFailure.httpStatus ?? lastFailure.outcome, lastFailure.response].filter(Boolean).join("\n")}
          </pre>
        </details>
      )}
    </>
  );
}

/** Nothing of a real person is in it; the answer stands in its place. */
function TestButton({ client, reload }: { client: Client; reload: () => void }): JSX.Element {
  const [event, setEvent] = useState<TestEvent | null>(null);
  const sending = useAct();
  const send = () =>
    sending.run(async () =>
      setEvent(await ask<TestEvent>(`/operator/clients/${client.clientId}/test-event`, { method: "POST" })),
    );
  const took = event?.durationMilliseconds == null ? "" : ` in ${formatShortSpan(event.durationMilliseconds)}`;
  return (
    <>
      <div class="card-acts">
        <ActButton isOff={sending.isBusy} of={client.name ?? client.clientId} onPress={() => void send()}>
          Send a test event
        </ActButton>
        <ChangeEndpoint client={client} reload={reload} />
      </div>
      <div role="status">
        {event && (
          <>
            <p class={`small ${isTaken(event) ? "ok" : "bad"}`}>
              {isTaken(event) ? "Taken" : "Not taken"}: {event.httpStatus ?? event.outcome}
              {took}. Nothing of a real person was in it.
            </p>
            {event.response && <pre class="words">{event.response}</pre>}
          </>
        )}
      </div>
      <FailureLine failure={sending.failure} />
    </>
  );
}
