// Pure. Telnyx' codes. 40xxx are of messages, in an answer or in a receipt: https://developers.telnyx.com/docs/messaging/messages/error-codes
// and https://support.telnyx.com/en/articles/6505121-telnyx-messaging-error-codes. The others are of any call:
// https://developers.telnyx.com/development/api-fundamentals/api-errors
import { toCodes } from "./codes.ts";

export const CODES = toCodes([
  [40001, "number", "permanent"], // a landline, or not in service
  [40004, "number", "final"], // its network rejects the text
  [40006, "number", "final"], // its network is away
  [40008, "number", "final"], // its network does not take the text
  [40012, "number", "permanent"], // not valid
  [40310, "number", "permanent"], // not a number
  [40300, "number", "final", "OPTED_OUT"], // the person has opted out of this sender

  [40009, "text", "final"], // its characters
  [40302, "text", "final"], // too long
  [40304, "text", "final"], // its content
  [40316, "text", "final"], // empty
  [40317, "text", "final"], // its media
  [40017, "text", "final", "CARRIER_FILTERED"], // taken for spam by AT&T
  [40322, "text", "final", "CARRIER_FILTERED"], // blocked because of its content

  [40011, "sender", "later", "SENDER_LIMIT"], // beyond the network's rate
  [40014, "sender", "later", "SENDER_LIMIT"], // the text has expired in its queue
  [40016, "sender", "later", "SENDER_LIMIT"], // beyond T-Mobile's daily limit of its 10DLC brand
  [40018, "sender", "later", "SENDER_LIMIT"], // beyond AT&T's rate of its 10DLC campaign
  [40318, "sender", "later", "SENDER_LIMIT"], // its queue is full
  [40333, "sender", "later", "SENDER_LIMIT"], // the messaging profile has spent its daily limit
  [40301, "sender", "final"], // not valid for this number
  [40305, "sender", "final"], // not a number of the account
  [40306, "sender", "final"], // an alphanumeric sender that is not allowed
  [40307, "sender", "final"], // an alphanumeric sender that the profile does not have
  [40308, "sender", "final"], // does not fit the profile
  [40312, "sender", "final"], // its messaging profile is disabled
  [40325, "sender", "final"], // an alphanumeric sender that is not valid
  [40002, "sender", "final", "CARRIER_FILTERED"], // blocked as spam, for a while
  [40003, "sender", "final", "CARRIER_FILTERED"], // blocked as spam, for good
  [40010, "sender", "final", "CARRIER_FILTERED"], // in no 10DLC campaign
  [40013, "sender", "final", "CARRIER_FILTERED"], // the network rejects it
  [40015, "sender", "final", "CARRIER_FILTERED"], // Telnyx' own filter
  [40019, "sender", "final", "CARRIER_FILTERED"], // AT&T has other data of its 10DLC campaign
  [40020, "sender", "final", "CARRIER_FILTERED"], // taken for artificial traffic, for a day
  [40100, "sender", "final", "CARRIER_FILTERED"], // not enabled for messages
  [40150, "sender", "final", "CARRIER_FILTERED"], // a toll-free number that is not registered
  [40151, "sender", "final", "CARRIER_FILTERED"], // being enabled elsewhere
  [40155, "sender", "final", "CARRIER_FILTERED"], // lacks a letter of authorization
  [40315, "sender", "final", "CARRIER_FILTERED"], // has failed its health check
  [40320, "sender", "final", "CARRIER_FILTERED"], // still being provisioned
  [40329, "sender", "final", "CARRIER_FILTERED"], // a toll-free number that is not verified
  [40330, "sender", "final", "CARRIER_FILTERED"], // a toll-free number that is not provisioned

  [10011, "account", "later"], // too many requests
  [10012, "account", "later"], // a duplicate of another request
  [10009, "account", "once-fixed"], // wrong credentials
  [10010, "account", "once-fixed"], // no permission
  [20012, "account", "once-fixed"], // not active
  [20100, "account", "once-fixed"], // lack of funds
  [40309, "account", "final"], // may not send to this country
  [40331, "account", "final"], // the country is not on the list of the profile
  [40314, "account", "final", "CARRIER_FILTERED"], // messages are disabled

  [40005, "carrier", "final"], // the text has expired on its way
]);
