import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Session, SessionAnswer } from "../answers.ts";
import { ask, Failure } from "../lib/ask.ts";
import { setTitle } from "../lib/title.ts";
import { useAct } from "../lib/use-act.ts";
import { replaceHash } from "../lib/use-route.ts";
import { CommandLine } from "../parts/copy.tsx";
import { Icon, Mark } from "../parts/icon.tsx";

interface Props {
  isAway: boolean;
  /** Why somebody is here who was signed in. */
  words: string | null;
  /** The token in the link that `npm start` prints. */
  token: string | null;
  onSignedIn: (session: Session) => void;
}

/** The token goes to the service, which answers with a cookie that no script can read. Nothing else keeps it. */
export function SignIn({ isAway, words, token, onSignedIn }: Props): JSX.Element {
  const [value, setValue] = useState("");
  const asking = useAct();
  const field = useRef<HTMLInputElement>(null);

  const signIn = (given: string) =>
    asking.run(async () => {
      await ask("/console/session", { method: "POST", body: { token: given } });
      const { session } = await ask<SessionAnswer>("/console/session");
      if (!session) throw new Failure(0, { code: 0, message: "The browser keeps no cookie." }, null);
      onSignedIn(session);
    });

  useEffect(() => {
    setTitle("Sign in");
    field.current?.focus();
  }, []);

  useEffect(() => {
    if (token === null || isAway) return;
    replaceHash("#/");
    void signIn(token);
  }, [token, isAway]);

  const fault = asking.failure ? sentenceOf(asking.failure) : null;
  return (
    <main class="sign-in">
      <div class="brand">
        <Mark /> Textgate
      </div>
      <h1>Sign in</h1>
      <p class="lead">With your own token, for 12 hours.</p>
      {(isAway || words) && (
        <p class="sign-in-words" role="status">
          {isAway ? "Textgate does not answer. This page looks again every 10 seconds." : words}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (value.trim()) void signIn(value.trim());
        }}
      >
        <div class={`field ${fault ? "wrong" : ""}`}>
          <label for="token">Token</label>
          <input
            ref={field}
            id="token"
            type="password"
            class="mono"
            autocomplete="off"
            spellcheck={false}
            value={value}
            aria-invalid={fault !== null}
            aria-describedby="token-fault"
            onInput={(event) => setValue(event.currentTarget.value)}
          />
          <p id="token-fault" class="fault" role="alert">
            {fault && (
              <>
                <Icon name="failed" /> <span>{fault}</span>
              </>
            )}
          </p>
        </div>
        <button type="submit" class="button dark wide" disabled={asking.isBusy || isAway}>
          Sign in
        </button>
      </form>
      <div class="sign-in-help">
        <p>
          <strong>No token?</strong> Whoever runs this service makes one:
        </p>
        <CommandLine line="create-token ada" />
      </div>
    </main>
  );
}

/** Access knows who it is, and the service does not: there is nothing else for them here. */
export function NoOperator({ email }: { email: string }): JSX.Element {
  useEffect(() => setTitle("No operator"), []);
  return (
    <main class="sign-in">
      <div class="brand">
        <Mark /> Textgate
      </div>
      <h1>You are no operator here</h1>
      <p class="lead">Cloudflare Access says that you are {email}. Whoever runs this service makes you one:</p>
      <CommandLine line={`create-token ${email}`} />
      <p>
        <a href="/cdn-cgi/access/logout">Sign in as somebody else</a>
      </p>
    </main>
  );
}

function sentenceOf(failure: Failure): string {
  if (failure.status === 401) return "This token is not known.";
  if (failure.status === 429) return "Too many tries. Wait a minute.";
  if (failure.status === 404) return "OPERATOR_TOKEN is not set.";
  return `${failure.message}${failure.requestId ? ` Request ${failure.requestId}.` : ""}`;
}
