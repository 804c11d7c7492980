import type { Deps } from "../../deps.ts";
import { failField } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import type { Role } from "../../domain/operations/operator-token.ts";
import { sha256Hex } from "../../platform/secrets.ts";
import { findTokenOperator, insertOperatorToken, type Operator } from "../../store/operations/operator-tokens.ts";
import { lookUpSecret, makeSecret } from "./operator-secrets.ts";

/** Whose token it is. @param hash of the token @throws RequestFailure guesses-exceeded */
export function findOperator(deps: Deps, token: string, hash: string, address: string): Promise<Operator | undefined> {
  return lookUpSecret(deps, "token", { secret: token, hash, address }, () =>
    findTokenOperator(deps.db, hash, deps.now()),
  );
}

/** @returns the token, of which only the hash is stored. @throws RequestFailure fields-wrong: two tokens have the name */
export async function createOperatorToken(
  deps: Deps,
  author: Author,
  {
    name,
    role,
    graceSeconds,
  }: { name: string; role?: Role | null | undefined; graceSeconds?: number | null | undefined },
): Promise<string> {
  const token = makeSecret(deps, "token");
  const now = deps.now();
  const othersEndAt = graceSeconds == null ? null : now + graceSeconds * 1000;
  const made = { name, role: role ?? "operator", hash: await sha256Hex(token), othersEndAt } as const;
  const isMade = await insertOperatorToken(deps.db, author, made, now);
  return isMade ? token : failField("name", "has two tokens already: end one of them first");
}
