import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Overview, Session } from "../answers.ts";

/** Who is signed in, and what of the service each page may need. */
export interface Signed {
  session: Session;
  overview: Overview | null;
  /** Whether the service does not answer at present: nothing can be changed then. */
  isAway: boolean;
}

export const SignedContext = createContext<Signed | null>(null);

export function useSigned(): Signed {
  const signed = useContext(SignedContext);
  if (signed === null) throw new Error("only within a session");
  return signed;
}

export const useIsOperator = (): boolean => useSigned().session.role === "operator";
