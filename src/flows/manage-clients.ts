import type { Deps } from "../deps.ts";
import { type Client, type ClientSettings, type Credentials, OPERATIONS } from "../domain/client.ts";
import { newCallbackSecret, randomHex, seal, sha256Hex } from "../platform/secrets.ts";
import {
  findClient,
  findCredentials,
  findUncopied,
  insertClient,
  markCopied,
  rotateSecrets,
  updateClient,
} from "../platform/store/clients.ts";
import { inTurn } from "./in-turn.ts";

/** Shown once; only hashes and encrypted forms are stored. */
interface IssuedSecrets {
  clientSecret: string;
  callbackSecret: string;
}

const CLIENT_ID_BYTES = 16;
const CLIENT_SECRET_BYTES = 32;

export async function createClient(
  deps: Deps,
  websiteId: string,
  settings: ClientSettings,
): Promise<{ clientId: string } & IssuedSecrets> {
  const clientId = randomHex(CLIENT_ID_BYTES);
  const { issued, stored } = await issueSecrets(deps);
  const now = deps.now();
  await insertClient(deps.db, {
    clientId,
    websiteId,
    callbackUrl: settings.callbackUrl ?? null,
    operations: settings.operations ?? [...OPERATIONS],
    suspended: settings.suspended ?? false,
    createdAt: now,
    changedAt: now,
    ...stored,
  });
  await copyToKv(deps, { clientId });
  return { clientId, ...issued };
}

/** Changes the given settings. @returns the changed client, or undefined when it is unknown */
export async function changeClient(
  deps: Deps,
  clientId: string,
  settings: ClientSettings,
): Promise<Client | undefined> {
  await updateClient(deps.db, clientId, settings, deps.now());
  await copyToKv(deps, { clientId });
  return findClient(deps.db, clientId);
}

/** Issues new secrets; the old ones work until the grace ends. @returns undefined when the client is unknown */
export async function rotateClient(
  deps: Deps,
  clientId: string,
  graceSeconds: number,
): Promise<IssuedSecrets | undefined> {
  if (!(await findClient(deps.db, clientId))) return undefined;
  const { issued, stored } = await issueSecrets(deps);
  const now = deps.now();
  await rotateSecrets(deps.db, clientId, { ...stored, oldUntil: now + graceSeconds * 1000 }, now);
  await copyToKv(deps, { clientId });
  return issued;
}

async function issueSecrets(deps: Deps) {
  const issued: IssuedSecrets = { clientSecret: randomHex(CLIENT_SECRET_BYTES), callbackSecret: newCallbackSecret() };
  const stored = {
    secretHash: await sha256Hex(issued.clientSecret),
    callbackSecret: await seal(issued.callbackSecret, deps.config.serviceKey ?? ""),
  };
  return { issued, stored };
}

/** Copies credentials to KV, where requests are checked. D1 is written first, and the sweep repeats a copy that has failed. */
export async function copyToKv(deps: Deps, by: { websiteId: string } | { clientId: string }): Promise<void> {
  await copyAll(deps, await findCredentials(deps.db, by));
}

const COPIES_A_SWEEP = 500;

/** Copies the credentials whose copy may be out of date. @returns how many */
export async function copyCredentials(deps: Deps): Promise<number> {
  const clients = await findUncopied(deps.db, COPIES_A_SWEEP, deps.now());
  await copyAll(deps, clients);
  return clients.length;
}

/** @throws RequestFailure store-unavailable when a copy has failed; the others are made */
async function copyAll(deps: Deps, clients: Credentials[]): Promise<void> {
  const copied: string[] = [];
  try {
    await inTurn(clients, async (credentials) => {
      await deps.credentials.write(credentials);
      copied.push(credentials.clientId);
    });
  } finally {
    if (copied.length > 0) await markCopied(deps.db, copied, deps.now());
  }
}
