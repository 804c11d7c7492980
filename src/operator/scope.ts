// Which messages of a website a call is for: those of one purpose, of one client, or all.
import type * as z from "zod";
import type { Deps } from "../deps.ts";
import { failField, parseFields, RequestFailure } from "../domain/failure.ts";
import type { cancelSchema, holdSchema, MessageFilter, releaseSchema } from "../domain/messages/hold.ts";
import { knownFields } from "../domain/messages/ignored-fields.ts";
import { findMisnamed } from "../domain/misnamed-fields.ts";
import type { ApiRequest } from "../http/api-request.ts";
import { BODY_LIMITS, noteIgnored, readJson } from "../http/body.ts";
import { findClient } from "../store/clients/clients.ts";
import { inShell } from "./in-shell.ts";
import { countOf } from "./operator-call.ts";
import { requireWebsite } from "./params.ts";

export const OF_WEBSITE = { method: "POST", tag: "Websites", database: "named" } as const;

export const SCOPE_OPTIONS = { purpose: { field: "sendPurpose" }, client: { field: "clientId" } };

export const REPEAT = "There are more: repeat it.";

export async function readScope<T extends typeof holdSchema | typeof cancelSchema | typeof releaseSchema>(
  request: ApiRequest,
  deps: Deps,
  schema: T,
) {
  const { websiteId } = await requireWebsite(request, deps);
  const given = (await readNarrow(request, schema)) as z.output<T> & MessageFilter;
  await requireOwnClient(deps, websiteId, given);
  return { websiteId, given };
}

/** Other bodies leave out a field that they do not know. Without its scope, what cannot be taken back would be done to the whole website. */
async function readNarrow<T extends z.ZodType>(request: ApiRequest, schema: T): Promise<z.output<T>> {
  const { value } = await readJson(request, BODY_LIMITS.settings);
  noteIgnored(request, schema, value);
  const given = parseFields(schema, value);
  const details = findMisnamed(knownFields(schema), value as object);
  if (details.length > 0) throw new RequestFailure({ kind: "fields-wrong", details });
  return given;
}

/** A wrong id would hold nothing, and look as if it did. */
async function requireOwnClient(deps: Deps, websiteId: string, { clientId }: MessageFilter): Promise<void> {
  if (clientId === null) return;
  const client = await findClient(deps.db, clientId);
  if (client?.websiteId !== websiteId) failField("clientId", "must be a client of this website");
}

/** A next command for the same messages: without the options, it would be for the whole website. */
export function forTheSame(command: string, { websiteId, purpose, client }: Readonly<Record<string, unknown>>): string {
  const options = Object.entries({ purpose, client }).flatMap(([name, value]) =>
    value ? ` --${name} ${inShell(String(value))}` : [],
  );
  return `\`${command} ${websiteId}${options.join("")}\``;
}

/** The beginning of a sentence about waiting messages. */
export const sayWaiting = (count: number): string =>
  `${countOf(count, "waiting message")} ${count === 1 ? "is" : "are"}`;
