import { askStore } from "../../platform/ask-store.ts";
import { Hmac } from "../../platform/hmac.ts";
import { randomHex, seal, unseal } from "../../platform/secrets.ts";
import { runNamed, runQuery, runWrite } from "../database.ts";
import { prepare, sql } from "../sql.ts";

const KEY_BYTES = 32;
const KEY_ID_BYTES = 16;
const KV_TIMEOUT_MILLISECONDS = 5000;

interface Sealed {
  keyId: string;
  sealed: string;
}

/**
 * The HMAC key of tombstones. There are only about 10^10 phone numbers, so with the key and the tombstones, all numbers can be
 * tried. So D1 has the key encrypted with the service key, and KV has it in plain text. Neither store alone reveals who was
 * erased. When the service key is replaced, KV's copy is encrypted again, and the tombstones stay valid. D1 defines which key
 * is in use. The key is made on first use and never replaced.
 */
export class ErasureKey {
  readonly #kv: KVNamespace;
  #read: Hmac | undefined;

  constructor(kv: KVNamespace) {
    this.#kv = kv;
  }

  /**
   * Makes the key if there is none.
   * @throws RequestFailure store-unavailable; Error when neither copy can be read: without the key, no one may be subscribed
   */
  async read(db: D1Database, serviceKey: string): Promise<Hmac> {
    this.#read ??= new Hmac(await this.#find(db, serviceKey));
    return this.#read;
  }

  async #find(db: D1Database, serviceKey: string): Promise<string> {
    const { keyId, sealed } = (await readSealed(db)) ?? (await this.#make(db, serviceKey));
    try {
      return await unseal(sealed, serviceKey);
    } catch {
      return this.#sealAgain(db, keyId, serviceKey);
    }
  }

  /** Writes KV first, so that the key that D1 names has a copy. If several keys are made concurrently, D1 keeps the first. */
  async #make(db: D1Database, serviceKey: string): Promise<Sealed> {
    const made = { keyId: randomHex(KEY_ID_BYTES), secret: randomHex(KEY_BYTES) };
    await askStore(KV_TIMEOUT_MILLISECONDS, () => this.#kv.put(copyName(made.keyId), made.secret));
    return insertSealed(db, { keyId: made.keyId, sealed: await seal(made.secret, serviceKey) });
  }

  /** The service key has been replaced. */
  async #sealAgain(db: D1Database, keyId: string, serviceKey: string): Promise<string> {
    const secret = await askStore(KV_TIMEOUT_MILLISECONDS, () => this.#kv.get(copyName(keyId)));
    if (secret === null) {
      throw new Error("the key of the tombstones of erased people is lost in KV: set the old SERVICE_KEY again");
    }
    const sealed = await seal(secret, serviceKey);
    await runWrite(db, prepare(db, sql`UPDATE erasure_key SET sealed = ${sealed} WHERE key_id = ${keyId}`));
    return secret;
  }
}

const copyName = (keyId: string) => `erasure-key:${keyId}`;

const SELECT = sql`SELECT key_id AS keyId, sealed FROM erasure_key`;

async function readSealed(db: D1Database): Promise<Sealed | undefined> {
  return (await runQuery<Sealed>(prepare(db, SELECT)))[0];
}

async function insertSealed(db: D1Database, { keyId, sealed }: Sealed): Promise<Sealed> {
  const rows = await runNamed(db, {
    insert: prepare(
      db,
      sql`INSERT INTO erasure_key (only, key_id, sealed) VALUES (1, ${keyId}, ${sealed}) ON CONFLICT DO NOTHING`,
    ),
    kept: prepare(db, SELECT),
  });
  return rows.kept[0] as Sealed;
}
