// Pure. Columns of other services' exports that say who has opted out.
import { CsvError } from "./csv.ts";

/** Other words in front, as in `customer_state`, say of what else it is a state. */
const BEFORE = "(is|has|sms|text|mobile|phone|marketing|accepts|subscription|subscriber)*";

/** These are in many names, and say so only alone. */
const ALONE = [
  ...["status", "state", "active", "inactive", "enabled", "disabled", "marketing", "dnc"],
  ...["subscribe", "subscribed", "subscription"],
];

const STATE = new RegExp(`^${BEFORE}(${ALONE.join("|")})(status|state|flag)?$`);

/** These say so in any name: also when, of what or why somebody has opted out. */
const ANYWHERE = [
  ...["optin", "optedin", "optout", "optedout", "unsub", "donot", "consent", "suppress"],
  ...["blocked", "blocklist", "blacklist"],
  ...["subscribedsms", "subscribedtosms", "subscribedtext", "subscribedtotext"],
  ...["acceptssms", "acceptstext", "acceptsmarketing"],
];

const ABOUT_OTHERS = /email|fax/;
const ABOUT_TEXTS = /sms|text|mobile|phone/;

/** The letters and digits of a name. Salesforce puts `__c` behind the names of its own users. */
const lettersOf = (name: string) =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/__c$/, "")
    .replaceAll(/[^a-z0-9]/g, "");

/** Whether the name of a column says that its cells tell who may be texted. The column `consented_at` is read. */
export function looksLikeState(name: string): boolean {
  if (/^\s*consented_at\s*$/i.test(name)) return false;
  const letters = lettersOf(name);
  if (ABOUT_OTHERS.test(letters) && !ABOUT_TEXTS.test(letters)) return false;
  return STATE.test(letters) || ANYWHERE.some((word) => letters.includes(word));
}

/**
 * A list that was exported with those who have opted out must not subscribe them.
 * @param advice what to do about it; it ends the message, so it begins with a punctuation mark
 * @throws CsvError where a name looks like a state, and none is `subscribed`
 */
export function refuseStates(names: string[], advice: string): void {
  if (names.some((name) => name.toLowerCase() === "subscribed")) return;
  const state = names.find(looksLikeState);
  if (state === undefined) return;
  throw new CsvError(`has a column headed ${JSON.stringify(state)}, which looks like a state${advice}`);
}
