import type { Overview, Session } from "../answers.ts";

/** Who is signed in, and what of the service each page may need. */
export interface Signed {
  session: Session;
  overview: Overview | null;
  /** Whether the service does not answer at present: nothing can be changed then. */
  isAway: boolean;
}

let signed: Signed | null = null;

/** By the shell, each time before it draws its page: so whatever is drawn below it has the present one. */
export function setSigned(now: Signed): void {
  signed = now;
}

export function signedIn(): Signed {
  if (signed === null) throw new Error("only within a session");
  return signed;
}

export const isOperator = (): boolean => signedIn().session.role === "operator";
