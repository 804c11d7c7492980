// An operator tries a client's endpoint with an event that is about nobody.
import type { Deps } from "../../deps.ts";
import { signatureHeaders, testEventBody } from "../../domain/callbacks/callback.ts";
import type { Client } from "../../domain/clients/client.ts";
import { RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { type PostResult, postOnce } from "../../platform/callback-post.ts";
import { describeError } from "../../platform/describe-error.ts";
import { unseal } from "../../platform/secrets.ts";
import { readCallbackSecrets } from "../../store/clients/callback-secrets.ts";
import { beginRareAudit } from "../../store/operations/audit.ts";
import { audited } from "../operations/audit.ts";

/** So many a minute and client, counted in the audit log: an operator's token is not to be a way to flood an endpoint. */
export const TEST_EVENTS_A_MINUTE = 5;

export interface TestPost extends PostResult {
  eventId: string;
  durationMilliseconds: number;
}

/**
 * Posts one event of type `test`, signed as every callback. It is not stored, and is no part of GET /text/events.
 * @throws RequestFailure tests-exceeded
 */
export async function postTestEvent(deps: Deps, author: Author, client: Client): Promise<TestPost> {
  const { clientId, websiteId } = client;
  const entry = { action: "test-event", websiteId, clientId } as const;
  const rate = { most: TEST_EVENTS_A_MINUTE, milliseconds: 60_000 };
  if (!(await beginRareAudit(deps.db, author, entry, rate, deps.now()))) {
    throw new RequestFailure({ kind: "tests-exceeded" });
  }
  return audited(
    deps,
    author,
    entry,
    () => post(deps, client),
    ({ eventId, outcome, httpStatus }) => ({ eventId, outcome, httpStatus }),
  );
}

async function post(deps: Deps, { clientId, callbackUrl }: Client): Promise<TestPost> {
  const started = deps.now();
  const eventId = `test_${deps.newId()}`;
  const result = await signAndPost(deps, clientId, callbackUrl, eventId, started);
  return { eventId, ...result, durationMilliseconds: deps.now() - started };
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
