import type { Deps } from "../../deps.ts";
import {
  type Client,
  type ClientSettings,
  DEFAULT_EVENTS,
  type Effect,
  OPERATIONS,
} from "../../domain/clients/client.ts";
import { RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { newCallbackSecret, randomHex, seal, sha256Hex } from "../../platform/secrets.ts";
import { findClient, insertClient, rotateSecrets, updateClient } from "../../store/clients/clients.ts";
import { keepClientHome } from "../../store/databases/directory.ts";
import { spreadChange } from "./spread-changes.ts";

/** Shown once; only hashes and encrypted forms are stored. */
interface IssuedSecrets {
  clientSecret: string;
  callbackSecret: string;
}

const CLIENT_ID_BYTES = 16;
const CLIENT_SECRET_BYTES = 32;

export async function createClient(
  deps: Deps,
  author: Author,
  { websiteId, home }: { websiteId: string; home: number },
  settings: ClientSettings,
): Promise<{ clientId: string } & IssuedSecrets> {
  const clientId = randomHex(CLIENT_ID_BYTES);
  const { issued, stored } = await issueSecrets(deps);
  const now = deps.now();
  if (deps.first) await keepClientHome(deps.first.db, clientId, home);
  await insertClient(deps.db, author, {
    clientId,
    websiteId,
    name: settings.name ?? null,
    callbackUrl: settings.callbackUrl ?? null,
    operations: settings.operations ?? [...OPERATIONS],
    events: settings.events ?? [...DEFAULT_EVENTS],
    suspended: settings.suspended ?? false,
    createdAt: now,
    changedAt: now,
    ...stored,
  });
  await spreadChange(deps, { clientId });
  return { clientId, ...issued };
}

/** Limit for retries after a concurrent change. */
const MOST_READS = 10;

/** Changes the given settings. @returns the changed client, or undefined when it is unknown */
export async function changeClient(
  deps: Deps,
  author: Author,
  clientId: string,
  settings: ClientSettings,
): Promise<(Client & { takesEffect: Effect }) | undefined> {
  const changed = await onPresent(deps, clientId, (present) =>
    updateClient(deps.db, author, present, settings, deps.now()),
  );
  return changed && { ...changed, takesEffect: await spreadChange(deps, { clientId }) };
}

/** Issues new secrets; the old ones work until the grace ends. @returns undefined when the client is unknown */
export async function rotateClient(
  deps: Deps,
  author: Author,
  clientId: string,
  graceSeconds: number,
): Promise<(IssuedSecrets & { oldUntil: number; takesEffect: Effect }) | undefined> {
  const { issued, stored } = await issueSecrets(deps);
  const rotated = await onPresent(deps, clientId, async (present) => {
    const now = deps.now();
    const oldUntil = now + graceSeconds * 1000;
    const isSet = await rotateSecrets(deps.db, author, present, { ...stored, oldUntil }, now);
    return isSet ? { ...issued, oldUntil } : undefined;
  });
  return rotated && { ...rotated, takesEffect: await spreadChange(deps, { clientId }) };
}

/**
 * Changes a client as it is, and tries again where another change came in between.
 * @returns undefined when the client is unknown
 */
async function onPresent<T>(
  deps: Deps,
  clientId: string,
  change: (present: Client) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let reads = 0; reads < MOST_READS; reads++) {
    const present = await findClient(deps.db, clientId);
    const changed = present && (await change(present));
    if (!present || changed) return changed;
  }
  throw new RequestFailure({ kind: "store-unavailable" });
}

async function issueSecrets(deps: Deps) {
  const issued: IssuedSecrets = { clientSecret: randomHex(CLIENT_SECRET_BYTES), callbackSecret: newCallbackSecret() };
  const stored = {
    secretHash: await sha256Hex(issued.clientSecret),
    secretEnd: issued.clientSecret.slice(-4),
    callbackSecret: await seal(issued.callbackSecret, deps.config.serviceKey ?? ""),
  };
  return { issued, stored };
}
