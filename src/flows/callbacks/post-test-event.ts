// An operator, or the client itself, tries the client's endpoint with an event that is about nobody.
import type { Deps } from "../../deps.ts";
import { signatureHeaders, testEventBody } from "../../domain/callbacks/callback.ts";
import type { Client, Credentials } from "../../domain/clients/client.ts";
import { RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { type PostResult, postOnce } from "../../platform/callback-post.ts";
import { describeError } from "../../platform/describe-error.ts";
import { unseal } from "../../platform/secrets.ts";
import { readCallbackSecrets } from "../../store/clients/callback-secrets.ts";
import { claimTestEvent } from "../../store/clients/test-events.ts";
import { beginRareAudit } from "../../store/operations/audit.ts";
import { audited } from "../operations/audit.ts";

/** So many a minute and client, counted in the audit log: an operator's token is not to be a way to flood an endpoint. */
export const TEST_EVENTS_A_MINUTE = 5;

/** A client gets one in this time, which is longer than a post takes: so no two of them are under way at once. */
export const OWN_TEST_SECONDS = 12;

export interface TestPost extends PostResult {
  eventId: string;
  /** Milliseconds since 1970. */
  attemptedAt: number;
  durationMilliseconds: number;
}

/**
 * For an operator: posts one event of type `test`, signed as every callback. It is not stored, and is no part of GET /text/events.
 * @throws RequestFailure tests-exceeded
 */
export async function postTestEvent(deps: Deps, author: Author, client: Client): Promise<TestPost> {
  const { clientId, websiteId } = client;
  const entry = { action: "test-event", websiteId, clientId } as const;
  const rate = { most: TEST_EVENTS_A_MINUTE, milliseconds: 60_000 };
  if (!(await beginRareAudit(deps.db, author, entry, rate, deps.now()))) {
    throw new RequestFailure({ kind: "tests-exceeded", retryAfterSeconds: rate.milliseconds / 1000 });
  }
  return audited(
    deps,
    author,
    entry,
    () => post(deps, client),
    ({ eventId, outcome, httpStatus }) => ({ eventId, outcome, httpStatus }),
  );
}

/**
 * For the client itself: the same event, once in OWN_TEST_SECONDS. It changes nothing that an operator sets, so the audit log does not
 * have it.
 * @throws RequestFailure tests-exceeded
 */
export async function postOwnTestEvent(deps: Deps, { clientId }: Credentials): Promise<TestPost> {
  const now = deps.now();
  const claim = await claimTestEvent(deps.db, clientId, OWN_TEST_SECONDS * 1000, now);
  if (claim.again !== undefined) {
    const retryAfterSeconds = Math.max(1, Math.ceil((claim.again - now) / 1000));
    throw new RequestFailure({ kind: "tests-exceeded", retryAfterSeconds });
  }
  return post(deps, { clientId, callbackUrl: claim.callbackUrl });
}

async function post(
  deps: Deps,
  { clientId, callbackUrl }: Pick<Client, "clientId" | "callbackUrl">,
): Promise<TestPost> {
  const attemptedAt = deps.now();
  const eventId = `test_${deps.newId()}`;
  const result = await signAndPost(deps, clientId, callbackUrl, eventId, attemptedAt);
  return { eventId, attemptedAt, ...result, durationMilliseconds: deps.now() - attemptedAt };
}

async function signAndPost(
  { db, config }: Deps,
  clientId: string,
  callbackUrl: string | null,
  eventId: string,
  now: number,
): Promise<PostResult> {
  if (callbackUrl === null) return notPosted("the client has no callback URL");
  const body = testEventBody(eventId, now);
  const sealed = await readCallbackSecrets(db, clientId, now);
  let secrets: string[];
  try {
    secrets = await Promise.all(sealed.map((secret) => unseal(secret, config.serviceKey ?? "")));
  } catch (error) {
    return notPosted(`the callback secret cannot be decrypted; has SERVICE_KEY changed? (${describeError(error)})`);
  }
  return postOnce(callbackUrl, body, signatureHeaders(eventId, body, secrets, now));
}

const notPosted = (response: string): PostResult => ({ outcome: "not-posted", httpStatus: null, response });
