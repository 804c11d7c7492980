// Pure. Columns of other services' exports that say who has opted out.

/** Other words in front, as in `customer_state` and `email_status`, say of what else it is a state. */
const BEFORE = "(is|has|sms|text|mobile|phone|marketing|accepts|subscription|subscriber)*";

const WORDS = [
  ...["status", "state", "active", "inactive", "enabled", "disabled", "marketing", "consent"],
  ...["subscribe", "subscribed", "subscription", "unsubscribe", "unsubscribed"],
  ...["optin", "optedin", "optout", "optedout"],
  ...["suppressed", "suppression", "blocked", "blacklisted", "donotcontact", "donottext", "dnc"],
];

const STATE = new RegExp(`^${BEFORE}(${WORDS.join("|")})(status|state|flag)?$`);

/** When somebody opted out also says that somebody did. */
const OPTED_OUT_AT = /^(sms)?(unsubscribed?|opt(ed)?out)(at|on|date|time)$/;

/** @returns the first name that looks like a state, where none is `subscribed`; case, spaces, "_" and "-" do not matter */
export function findStateColumn(names: string[]): string | undefined {
  if (names.some((name) => name.toLowerCase() === "subscribed")) return undefined;
  return names.find((name) => {
    const plain = name.toLowerCase().replaceAll(/[\s_-]/g, "");
    return STATE.test(plain) || OPTED_OUT_AT.test(plain);
  });
}
