// Pure. Columns of other services' exports that say who has opted out.
import { CsvError } from "./csv.ts";

/** Other words in front, as in `customer_state`, say of what else it is a state. */
const BEFORE = "is|has|sms|text(?:s|ing|message)?|mobile|phone|marketing|accepts|subscription|subscriber";

/** A contact's state may be where it lives. */
const BEFORE_STATUS = "number|contact|member|list|channel|program|current|enrollment|opt|sub";

/** These are in many names, and say so only alone. */
const ALONE = [
  ...["status", "state", "active", "inactive", "enabled", "disabled", "marketing", "dnd", "dnt"],
  ...["subscribe", "subscribed", "subscription", "opt", "opted", "stop", "stopped", "revoked", "nosms", "notexts?"],
  "baja",
];

const AFTER = "(status|state|flag|enabled|settings?|yn|yesno|(of|for|on|by)?(sms|texts?))*";

const STATE = new RegExp(`^(${BEFORE})*(${ALONE.join("|")}|(${BEFORE}|${BEFORE_STATUS})*status)${AFTER}$`);

/** These say so in any name: also when, of what or why somebody has opted out. */
const ANYWHERE = [
  ...["optin", "optedin", "optsin", "optout", "optedout", "optsout", "unsub", "donot", "consent", "suppress"],
  ...["dontcontact", "dontcall", "dontmessage", "dontsend", "dontsms", "donttext", "dnc"],
  ...["blocked", "blocklist", "blacklist", "denylist", "permission"],
  ...["subscribedsms", "subscribedto", "subscribedfor", "subscribedtext", "subscribedmessage"],
  ...["issubscriber", "smssubscriber", "textsubscriber", "smsstat", "textstatus"],
  ...["subscriptionstat", "subscriptiongroup", "subscriptionpreference"],
  ...["acceptsms", "acceptssms", "accepttext", "acceptstext", "acceptsmarketing"],
  ...["allowsms", "allowssms", "allowtext", "allowstext", "smsallowed", "textallowed", "textsallowed"],
  ...["receivesms", "receivessms", "receivetext", "receivestext", "wantssms", "wantstext", "oktotext", "oktosms"],
  ...["textyou", "smsyou", "messageyou", "textok", "smsok", "okaytotext", "okaytosms", "textable", "litigator"],
  ...["revok", "revocation", "textedstop", "sentstop", "repliedstop", "stopdate", "stopreceived"],
  ...["stoppedat", "stoppedon", "smsdeclined", "textdeclined", "refusesms", "refusedsms"],
  ...["smsmarketing", "textmarketing", "textmessagemarketing", "marketingallowed", "allowmarketing", "allowsmarketing"],
  ...["smspreference", "textpreference", "marketingpreference", "smssetting", "textsetting"],
  ...["smsnotification", "textnotification", "smsalert", "textalert"],
  // Lists in French and Spanish have these.
  ...["abonne", "desinscri", "nepascontacter", "suscrit", "dadodebaja", "fechabaja", "nomolestar", "nocontactar"],
];

const ABOUT_OTHERS = /email|fax/;
const ABOUT_TEXTS = /sms|text|mobile|phone/;

/** The letters and digits of a name, without accents. Salesforce puts `__c` behind the names of its own users. */
const lettersOf = (name: string) =>
  name
    .normalize("NFKD")
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
