// Pure. What a hold covers, in words, and beside others.
import type { Hold, ListedHold, WaitingGroup } from "../answers.ts";
import { commandOf } from "./shell-command.ts";

/** A hold does not stop the clock. */
export const WHILE_HELD = "Held texts go when somebody releases them, and end at their time, held or not.";

type Scope = Pick<Hold, "sendPurpose" | "clientId">;

/** A client by its name, where the page has it. */
export type NameOf = (clientId: string) => string;

export const namesIn = (groups: WaitingGroup[]): NameOf => {
  const rows = groups.flatMap((group) => group.rows);
  return (id) => rows.find(({ clientId, clientName }) => clientId === id && clientName)?.clientName ?? id.slice(0, 8);
};

/** `winter-sale`, `winter-sale of klaviyo`, `all of klaviyo`, `all of Northwind`. */
export function scopeWords({ sendPurpose, clientId }: Scope, website: string, nameOf: NameOf): string {
  if (clientId === null) return sendPurpose ?? `all of ${website}`;
  return `${sendPurpose ?? "all"} of ${nameOf(clientId)}`;
}

/** Whether a text may be covered by both. */
export const overlaps = (one: Scope, other: Scope): boolean =>
  isOne(one.sendPurpose, other.sendPurpose) && isOne(one.clientId, other.clientId);

const isOne = (one: string | null, other: string | null) => one === null || other === null || one === other;

/** The holds that no row names: no text waits for them, or an older hold covers the same texts. */
export function unnamed(holds: ListedHold[], groups: WaitingGroup[]): ListedHold[] {
  const named = new Set(groups.flatMap(({ rows }) => rows.map(({ held }) => held?.holdId)));
  return holds.filter(({ holdId }) => !named.has(holdId));
}

/** The command of the shell for the same texts. */
export const commandFor = (verb: string, websiteId: string, { sendPurpose, clientId }: Scope): string =>
  commandOf(verb, [websiteId], { purpose: sendPurpose, client: clientId });
