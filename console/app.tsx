import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Session, SessionAnswer } from "./answers.ts";
import { ask, Failure, onSignedOut } from "./lib/ask.ts";
import { forgetAnswers } from "./lib/use-answer.ts";
import { useRoute } from "./lib/use-route.ts";
import { NoOperator, SignIn } from "./pages/sign-in.tsx";
import { Shell } from "./shell.tsx";

type State =
  | { is: "asking" }
  | { is: "out"; words: string | null; access?: SessionAnswer["access"] }
  | { is: "in"; session: Session }
  | { is: "away" };

const AWAY_SECONDS = 10;

const ACCESS_WORDS = "Cloudflare Access does not say who you are.";

/** Who is it? Until that is known, nothing is drawn: a form that goes away at once would only flicker. */
export function App(): JSX.Element | null {
  const [state, setState] = useState<State>({ is: "asking" });
  const route = useRoute();

  const look = useCallback(async () => {
    try {
      const { session, access } = await ask<SessionAnswer>("/console/session");
      setState(session ? { is: "in", session } : { is: "out", words: null, access });
    } catch (error) {
      setState(error instanceof Failure && error.isAway ? { is: "away" } : { is: "out", words: null });
    }
  }, []);

  useEffect(() => {
    onSignedOut(() => {
      forgetAnswers();
      setState({ is: "out", words: "The session has ended. Sign in to go on where you were." });
    });
    void look();
  }, [look]);

  useEffect(() => {
    if (state.is !== "away") return;
    const timer = setTimeout(look, AWAY_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [state, look]);

  const signOut = async () => {
    await ask("/console/session", { method: "DELETE" }).catch(() => {});
    forgetAnswers();
    setState({ is: "out", words: "You are signed out." });
  };

  switch (state.is) {
    case "asking":
      return null;
    case "in":
      return <Shell session={state.session} route={route} onSignOut={() => void signOut()} />;
    default:
      if (state.is === "out" && state.access?.email) return <NoOperator email={state.access.email} />;
      return (
        <SignIn
          isAway={state.is === "away"}
          words={state.is === "out" ? (state.access ? ACCESS_WORDS : state.words) : null}
          token={route.path[0] === "in" ? (route.path[1] ?? null) : null}
          onSignedIn={(session) => setState({ is: "in", session })}
        />
      );
  }
}
