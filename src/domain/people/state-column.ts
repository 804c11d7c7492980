// Pure. Columns of other services' exports that say who has opted out.
import { CsvError } from "./csv.ts";

/** Other words in front, as in `customer_state` and `email_status`, say of what else it is a state. */
const BEFORE = "(is|has|sms|text|mobile|phone|marketing|accepts|subscription|subscriber)*";

const WORDS = [
  ...["status", "state", "active", "inactive", "enabled", "disabled", "marketing", "consent"],
  ...["subscribe", "subscribed", "subscription", "unsubscribe", "unsubscribed"],
  ...["optin", "optedin", "optout", "optedout"],
  ...[
    "suppressed",
    "suppression",
    "blocked",
    "blacklisted",
    "donotcontact",
    "donottext",
    "donotsms",
    "donotcall",
    "dnc",
  ],
];

const STATE = new RegExp(`^${BEFORE}(${WORDS.join("|")})(status|state|flag)?$`);

/** When, of what or why somebody opted out also says that somebody did. */
const OPTED_OUT_AT =
  /^(sms|text|mobile|phone|marketing)*(unsubscribed?|opt(ed)?out)(of|from)?(sms|texts?|marketing)*(at|on|date|time|timestamp|reason)?$/;

/** @returns the first name that looks like a state, where none is `subscribed`; case, spaces, "_" and "-" do not matter */
function findStateColumn(names: string[]): string | undefined {
  if (names.some((name) => name.toLowerCase() === "subscribed")) return undefined;
  return names.find((name) => {
    const plain = name.toLowerCase().replaceAll(/[\s_-]/g, "");
    return STATE.test(plain) || OPTED_OUT_AT.test(plain);
  });
}

/**
 * A list that was exported with those who have opted out must not subscribe them.
 * @param advice what to do about it; it ends the message, so it begins with a punctuation mark
 * @throws CsvError where a name looks like a state, and none is `subscribed`
 */
export function refuseStates(names: string[], advice: string): void {
  const state = findStateColumn(names);
  if (state === undefined) return;
  throw new CsvError(`has a column headed ${JSON.stringify(state)}, which looks like a state${advice}`);
}
