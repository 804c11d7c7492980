import type { Deps } from "../../deps.ts";
import { failField, RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { CHECK_CHARACTERS, RANDOM_BYTES, type Role, splitToken } from "../../domain/operations/operator-token.ts";
import { Hmac } from "../../platform/hmac.ts";
import { equalHashes, sha256Hex } from "../../platform/secrets.ts";
import { findTokenOperator, insertOperatorToken, type Operator } from "../../store/operations/operator-tokens.ts";
import { countMiss } from "../clients/count-miss.ts";

/** Who cannot make it cannot have a token looked up. */
function checkOf({ config }: Deps, random: string): string {
  return new Hmac(config.linkKey).sign(`operator token ${random}`).toHex().slice(0, CHECK_CHARACTERS);
}

/**
 * Whose token it is. A guess is refused without a look-up, a token that has ended is looked up once in five seconds. What is found
 * is not kept: a token that ends is refused from the next call on, by every isolate.
 * @throws RequestFailure guesses-exceeded
 */
export async function findOperator(
  deps: Deps,
  token: string,
  hash: string,
  address: string,
): Promise<Operator | undefined> {
  const parts = splitToken(token);
  if (!parts || !equalHashes(parts.check, checkOf(deps, parts.random))) return undefined;
  const now = deps.now();
  const { operators } = deps.guesses;
  const judged = operators.judge(hash, address, now);
  if (judged === "refused") throw new RequestFailure({ kind: "guesses-exceeded" });
  if (judged === "missing") return undefined;
  const operator = await findTokenOperator(deps.db, hash, now);
  if (operator === undefined) countMiss(deps, operators, hash, address);
  return operator;
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
  const random = deps.randomBytes(RANDOM_BYTES).toHex();
  const token = `op_${random}${checkOf(deps, random)}`;
  const now = deps.now();
  const othersEndAt = graceSeconds == null ? null : now + graceSeconds * 1000;
  const made = { name, role: role ?? "operator", hash: await sha256Hex(token), othersEndAt } as const;
  const isMade = await insertOperatorToken(deps.db, author, made, now);
  return isMade ? token : failField("name", "has two tokens already: end one of them first");
}
