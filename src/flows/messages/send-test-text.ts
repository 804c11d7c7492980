// A text that an operator sends to try a website: it passes all that a text of the client passes.
import type { Deps } from "../../deps.ts";
import type { Credentials } from "../../domain/clients/client.ts";
import { RequestFailure } from "../../domain/failure.ts";
import type { Author } from "../../domain/operations/audit.ts";
import { findCopies } from "../../store/clients/client-copies.ts";
import { beginRareAudit } from "../../store/operations/audit.ts";
import { audited } from "../operations/audit.ts";
import { type AcceptedSend, acceptSend, prepareSend, trySend } from "./accept-message.ts";

/** So many a minute and client, counted in the audit log: it is no way to send a campaign. */
export const TEST_TEXTS_A_MINUTE = 5;

export interface TestText {
  phone: string;
  text: string;
  sendPurpose: string;
}

interface Asked {
  client: Credentials;
  /** The origin for links of a website that has none. */
  linkOrigin: string;
  /** Whom it is to, masked. */
  subject: string;
}

/** @throws RequestFailure client-suspended, operation-denied, fields-wrong, tests-exceeded, and what acceptSend throws */
export async function sendTestText(deps: Deps, author: Author, asked: Asked, given: TestText): Promise<AcceptedSend> {
  let { client } = asked;
  requireSending(client);
  const sender = { client, linkOrigin: client.linkOrigin ?? asked.linkOrigin };
  const { data, details = [] } = trySend(sender, { ...given, callbackData: "" }, deps.now());
  if (!data) throw new RequestFailure({ kind: "fields-wrong", details });
  const send = await prepareSend(deps, sender, data, new Map(), undefined);
  const { clientId, websiteId } = client;
  const entry = { action: "test-text", websiteId, clientId, subject: asked.subject } as const;
  const rate = { most: TEST_TEXTS_A_MINUTE, milliseconds: 60_000 };
  if (!(await beginRareAudit(deps.db, author, entry, rate, deps.now())))
    throw new RequestFailure({ kind: "tests-exceeded", retryAfterSeconds: rate.milliseconds / 1000 });
  const counting = {
    client: () => client,
    renew: (newer: Credentials) => {
      client = newer;
      requireSending(client);
    },
    admit: ({ admitted, resetMilliseconds }: { admitted: boolean; resetMilliseconds: number }) => {
      const retryAfterSeconds = Math.ceil(resetMilliseconds / 1000);
      if (!admitted) throw new RequestFailure({ kind: "rate-exceeded", retryAfterSeconds });
    },
  };
  return audited(
    deps,
    author,
    entry,
    () => acceptSend(deps, send, counting),
    ({ messageId }) => ({ messageId }),
  );
}

function requireSending({ suspended, operations }: Credentials): void {
  if (suspended) throw new RequestFailure({ kind: "client-suspended" });
  if (!operations.includes("send")) throw new RequestFailure({ kind: "operation-denied", operation: "send" });
}

/** The client as it is stored. */
export async function findSendingClient(deps: Deps, clientId: string): Promise<Credentials | undefined> {
  return (await findCopies(deps.db, { clientId }))[0]?.credentials;
}
