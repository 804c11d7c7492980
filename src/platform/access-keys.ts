import { withinTime } from "./time-limit.ts";
import { USER_AGENT } from "./user-agent.ts";

/** Cloudflare replaces the keys every six weeks, and the one before stays valid for seven days. */
const KEPT_MILLISECONDS = 3_600_000;

/** A token with an unknown key is not to make a request each time. */
const AGAIN_MILLISECONDS = 30_000;

const FETCH_MILLISECONDS = 5000;

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

/** The team's keys cannot be read, and none is kept. */
export class KeysUnavailableError extends Error {}

/** The public keys of the team at Cloudflare Access, kept by the isolate. */
export class AccessKeys {
  #keys = new Map<string, CryptoKey>();
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param issuer such as https://brand.cloudflareaccess.com
   * @returns undefined: the team has no such key
   * @throws KeysUnavailableError
   */
  async find(issuer: string, keyId: string, now: number): Promise<CryptoKey | undefined> {
    const isOld = now - this.#readAt >= KEPT_MILLISECONDS;
    const mayTry = now - this.#triedAt >= AGAIN_MILLISECONDS;
    if ((isOld || !this.#keys.has(keyId)) && mayTry) await this.#read(issuer, now);
    if (this.#keys.size === 0) throw new KeysUnavailableError(`no key of ${issuer} is known`);
    return this.#keys.get(keyId);
  }

  /** If it fails, the keys that are known stay. @throws KeysUnavailableError: none is known */
  async #read(issuer: string, now: number): Promise<void> {
    this.#triedAt = now;
    try {
      this.#keys = await withinTime(FETCH_MILLISECONDS, fetchKeys(issuer));
      this.#readAt = now;
    } catch (error) {
      if (this.#keys.size === 0) throw new KeysUnavailableError(`${issuer} does not answer`, { cause: error });
    }
  }
}

interface Certificates {
  keys: (JsonWebKey & { kid: string })[];
}

async function fetchKeys(issuer: string): Promise<Map<string, CryptoKey>> {
  const answer = await fetch(`${issuer}/cdn-cgi/access/certs`, {
    headers: { "user-agent": USER_AGENT },
    redirect: "manual",
  });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  const { keys } = (await answer.json()) as Certificates;
  const imported = keys.map(async ({ kid, n, e }) => {
    const jwk = { kty: "RSA", alg: "RS256", n, e } as JsonWebKey;
    return [kid, await crypto.subtle.importKey("jwk", jwk, ALGORITHM, false, ["verify"])] as const;
  });
  return new Map(await Promise.all(imported));
}

export const verifyWith = (key: CryptoKey, signature: Uint8Array, signed: Uint8Array) =>
  crypto.subtle.verify(ALGORITHM.name, key, signature, signed);
