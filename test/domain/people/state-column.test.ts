import { describe, expect, it } from "vitest";
import { CsvError } from "../../../src/domain/people/csv.ts";
import { looksLikeState, refuseStates } from "../../../src/domain/people/state-column.ts";

/** As exports of services, databases and spreadsheets name them. */
const STATES = [
  ...["Opted Out?", "Subscribed?", "unsubscribed?", "SMS Opt-In (Y/N)", "Opt-out (SMS)", "Subscribed (SMS)"],
  ...["Do not text!", "SMS Marketing: Status", "marketing.sms.opted_out", "sms/opted_out", "$consent", "Opt\u2011Out"],
  ...[
    "SMS_Opt_Out__c",
    "HasOptedOutOfMobile",
    "OptOutStatusID",
    "OptInStatusID",
    "UNSUB_TIME",
    "UNSUB_REASON",
    "unsub",
  ],
  ...["subscribedSms", "subscribed_sms", "Subscribed to SMS", "SMS Blocklisted", "SMS_BLACKLIST", "optout_type"],
  ...["unsubscribedChannelIds", "date_unsubscribed", "Date opted out", "Unsubscribed At (UTC)", "consent_sms"],
  ...["accepts_sms", "tcpa_consent", "SMS Suppressions"],
  ...["status", "State", "subscribe", "subscription", "opt_in", "optin", "Opted In", "opt-out", "OPTOUT", "opted_out"],
  ...[
    "unsubscribe",
    "Unsubscribed",
    "active",
    "consent",
    "sms_consent",
    "suppressed",
    "is_subscribed",
    "Opt-In Status",
  ],
  ...[
    "SMS Marketing Consent",
    "Accepts SMS Marketing",
    "unsubscribed_at",
    "do_not_contact",
    " \u200bstatus",
    "SMS Consent",
  ],
  ...["Opted out of SMS", "Unsubscribed from texts", "mobile_opt_out_date", "Opt-out timestamp", "Unsubscribe Reason"],
  ...[
    "Do not SMS",
    "Do Not Call",
    "AcceptsMarketing",
    "smsOptOutAt",
    "Opt-Out Date",
    "DNC",
    "Status__c",
    "opt_in_date",
  ],
  // Klaviyo, Mailchimp, HubSpot, Braze, Iterable, Omnisend, Customer.io, HighLevel, and lists that people keep.
  ...["SMS Consent Status", "SMS Program Status", "subscription_group_state", "subscription_groups", "smsSubscribed"],
  ...["subscribedMessageTypeIds", "SMS Status Changed at", "smsStatusDate", "status:sms", "Phone channel status"],
  ...["cio_subscription_preferences", "DND", "DND SMS", "dnd_sms", "Marketing contact status", "SMS Subscriber"],
  ...["Is Subscriber", "List Status", "Contact Status", "Member Status", "Phone Number Status", "SMS Channel Status"],
  ...["Current Subscription Status", "subscription status updated", "Sub Status", "Status (SMS)", "Status of SMS"],
  ...["Opt Status", "optStatus", "SMS Opt", "Opted", "opts_in", "Opts out", "Stopped", "Revoked", "On DNC", "DNC List"],
  ...["Don't text", "dont_text", "Don’t contact", "No SMS", "no_texts", "denylist", "Deny List"],
  ...["SMS permission", "SMS_Permission__c", "Allow SMS", "SMS allowed", "allow_texts", "Allows texting"],
  ...["OK to text", "Receive SMS", "receives_texts", "Wants texts", "accept_sms", "Accept SMS marketing"],
  ...["subscribed (Y/N)", "Subscribed to list", "Subscribed to marketing", "Subscribed for SMS", "Subscribed_to_all"],
  // As forms ask, and as lists of replies are headed.
  ...[
    "Can we text you?",
    "May we SMS you",
    "OK to message you?",
    "Okay to text",
    "Text OK?",
    "Textable",
    "is_textable",
  ],
  ...["DND Enabled", "dnd_settings", "Texting enabled", "SMS Settings", "Marketing allowed", "Allow marketing"],
  ...["Texted STOP", "replied_stop", "STOP date", "stopped_at", "Stop received", "Revoked At", "Revocation date"],
  ...["SMS Preference", "Text preferences", "Marketing Preferences", "SMS notifications", "Text Alerts", "sms_alerts"],
  ...["Text message subscription", "Text Message Marketing", "SMS declined", "Refused SMS", "SMS Marketing State"],
  ...["customerSmsMarketingState", "TCPA litigator"],
  // In French and Spanish.
  ...["Désabonné", "Desabonne le", "Désinscription SMS", "Abonné", "Consentement SMS", "STOP SMS", "Ne pas contacter"],
  ...["Suscrito", "Desuscrito", "Dado de baja", "Baja", "fecha_baja", "Consentimiento", "No molestar"],
  ...["Email and SMS opt-out", "Ｏｐｔ－Ｏｕｔ", "Is Blocked"],
];

const OTHERS = [
  ...["name", "country", "customer_state", "statement", "active_since", "subscribed_at", "text", "option", "adoption"],
  ...[
    "email_status",
    "email_opt_out_link",
    "HasOptedOutOfEmail",
    "HasOptedOutOfFax",
    "Email Consent",
    "Unsubscribed (email)",
  ],
  ...["Contact State", "Shipping State", "Order Status", "Loyalty Status", "Status Code", "Subscribed via"],
  ...[
    "Subscriber",
    "Subscription type",
    "sub",
    "London time",
    "Bus stop",
    "Stop number",
    "Declined payments",
    "Rebaja",
    "Baja California",
    "Prénom",
    "Refused delivery",
    "Email alerts",
    "Email marketing preference",
    "Context",
    "Settings",
    "Active phone",
    "opinion",
    "notes",
    "note text",
  ],
  ...[
    "Subscribed to e-mail",
    "Email channel status",
    "consented_at",
    "Consented_At",
    "evidence",
    "phone_numbers",
    "email",
    "",
  ],
];

describe("the name of a column", () => {
  it.each(STATES)("that tells who may be texted: %s", (name) => {
    expect(looksLikeState(name)).toBe(true);
    expect(() => refuseStates(["phone_numbers", name], "")).toThrow(CsvError);
    expect(() => refuseStates(["phone_numbers", "Subscribed", name], "")).not.toThrow();
  });

  it.each(OTHERS)("that does not: %j", (name) => {
    expect(looksLikeState(name)).toBe(false);
  });
});
