// Makes and looks up the secrets that open the operator's calls.
import type { Deps } from "../../deps.ts";
import { RequestFailure } from "../../domain/failure.ts";
import {
  CHECK_CHARACTERS,
  RANDOM_BYTES,
  type SecretKind,
  splitSecret,
  writeSecret,
} from "../../domain/operations/operator-secret.ts";
import { Hmac } from "../../platform/hmac.ts";
import { equalHashes } from "../../platform/secrets.ts";
import { countMiss } from "../clients/count-miss.ts";

/** Who cannot make it cannot have a secret looked up. */
function checkOf({ config }: Deps, kind: SecretKind, random: string): string {
  return new Hmac(config.linkKey).sign(`operator ${kind} ${random}`).toHex().slice(0, CHECK_CHARACTERS);
}

export function makeSecret(deps: Deps, kind: SecretKind): string {
  const random = deps.randomBytes(RANDOM_BYTES).toHex();
  return writeSecret(kind, random, checkOf(deps, kind, random));
}

/** A secret as it came, its hash (SHA-256), and the address of the caller. */
export interface GivenSecret {
  secret: string;
  hash: string;
  address: string;
}

/**
 * Looks a secret up. A guess is refused without a look-up, a secret that has ended is looked up once in five seconds. What is found is not
 * kept: a secret that ends is refused from the next call on, by every isolate.
 * @throws RequestFailure guesses-exceeded, or the failure of `find`
 */
export async function lookUpSecret<Found>(
  deps: Deps,
  kind: SecretKind,
  { secret, hash, address }: GivenSecret,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const parts = splitSecret(kind, secret);
  if (!parts || !equalHashes(parts.check, checkOf(deps, kind, parts.random))) return undefined;
  const { operators } = deps.guesses;
  const judged = operators.judge(hash, address, deps.now());
  if (judged === "refused") throw new RequestFailure({ kind: "guesses-exceeded" });
  if (judged === "missing") return undefined;
  const found = await find();
  if (found === undefined) countMiss(deps, operators, hash, address);
  return found;
}
