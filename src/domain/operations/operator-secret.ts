// Pure. The form of the secrets that open the operator's calls: the token of an operator, and the cookie of a session. Each is a prefix,
// 24 random bytes, and the check of them.

const PREFIXES = { token: "op_", session: "s_" } as const;

export type SecretKind = keyof typeof PREFIXES;

export const RANDOM_BYTES = 24;
export const CHECK_CHARACTERS = 16;

export const writeSecret = (kind: SecretKind, random: string, check: string): string => PREFIXES[kind] + random + check;

/** What of a secret is random, and its check; undefined: no secret of ours has this form. */
export function splitSecret(kind: SecretKind, secret: string): { random: string; check: string } | undefined {
  const [, prefix, random, check] = /^(op_|s_)([0-9a-f]{48})([0-9a-f]{16})$/.exec(secret) ?? [];
  return prefix === PREFIXES[kind] && random !== undefined && check !== undefined ? { random, check } : undefined;
}
