// Pure. Twilio's codes: https://www.twilio.com/docs/api/errors/21211 and so on, the page of each. They come in an answer or in a receipt.
import { toCodes } from "./codes.ts";

export const CODES = toCodes([
  [21211, "number", "permanent"], // not a number
  [21214, "number", "final"], // cannot be reached
  [21614, "number", "permanent"], // not a mobile number
  [30003, "number", "final"], // the handset is off or out of reach
  [30004, "number", "final"], // blocked, by the person or the network
  [30005, "number", "permanent"], // unknown, or not in service
  [30006, "number", "permanent"], // a landline, or a network that cannot be reached
  [30011, "number", "final", "MEDIA_NOT_SUPPORTED"], // the handset takes no media
  [21610, "number", "final", "OPTED_OUT"], // the person has opted out of this sender

  [12300, "text", "final"], // the type of its media
  [21617, "text", "final"], // too long
  [21620, "text", "final"], // the URL of its media
  [21623, "text", "final"], // too many media
  [30007, "text", "final", "CARRIER_FILTERED"], // spam, or against a policy

  [14107, "sender", "later", "SENDER_LIMIT"], // beyond its rate
  [21611, "sender", "later", "SENDER_LIMIT"], // more than ten hours of texts are in its queue
  [30001, "sender", "later", "SENDER_LIMIT"], // the same, of a messaging service
  [30022, "sender", "later", "SENDER_LIMIT"], // beyond the rate of its 10DLC campaign
  [30023, "sender", "later", "SENDER_LIMIT"], // beyond the daily cap of its 10DLC brand
  [30027, "sender", "later", "SENDER_LIMIT"], // beyond T-Mobile's daily limit of its 10DLC brand
  [30036, "sender", "later", "SENDER_LIMIT"], // its queue was longer than the validity of the text
  [63038, "sender", "later", "SENDER_LIMIT"], // beyond its daily limit
  [21606, "sender", "final"], // sends no texts
  [21612, "sender", "final"], // cannot reach this number
  [21621, "sender", "final", "MEDIA_NOT_SUPPORTED"], // sends no media
  [21659, "sender", "final"], // not a number of the account
  [21701, "sender", "final"], // no such messaging service
  [21703, "sender", "final"], // the messaging service has no number
  [30024, "sender", "final", "CARRIER_FILTERED"], // not provisioned at the network
  [30032, "sender", "final", "CARRIER_FILTERED"], // a toll-free number that is not verified
  [30033, "sender", "final", "CARRIER_FILTERED"], // its 10DLC campaign is suspended
  [30034, "sender", "final", "CARRIER_FILTERED"], // not registered for 10DLC
  [30035, "sender", "final", "CARRIER_FILTERED"], // still being registered for 10DLC
  [30040, "sender", "final", "CARRIER_FILTERED"], // the network requires a registered sender
  [30041, "sender", "final", "CARRIER_FILTERED"], // a network of the United Kingdom does
  [30042, "sender", "final", "CARRIER_FILTERED"], // its name is blocked

  [20429, "account", "later"], // too many requests
  [60728, "account", "later", "SENDER_LIMIT"], // beyond the hourly limit
  [63017, "account", "later", "SENDER_LIMIT"], // beyond the rate
  [10001, "account", "once-fixed"], // not active
  [20003, "account", "once-fixed"], // wrong credentials
  [20005, "account", "once-fixed"], // not active
  [20404, "account", "once-fixed"], // no such path, and so no such account
  [57019, "account", "once-fixed"], // no credentials
  [70051, "account", "once-fixed"], // no permission
  [90010, "account", "once-fixed"], // not active, for lack of funds or against a policy
  [21408, "account", "final"], // may not send to this country
  [30002, "account", "final", "CARRIER_FILTERED"], // was suspended
  [30037, "account", "final", "CARRIER_FILTERED"], // may not send
  [30450, "account", "final", "CARRIER_FILTERED"], // the protection against traffic pumping
  [30453, "account", "final", "CARRIER_FILTERED"], // the detection of fraud
  [30454, "account", "final", "CARRIER_FILTERED"], // beyond its limit for this destination

  [30008, "carrier", "final"], // unknown
  [30017, "carrier", "final"], // the network is congested
  [30500, "carrier", "final"], // an internal error
  [30046, "carrier", "unknown"], // its delivery was not confirmed
  [30410, "carrier", "unknown"], // the network did not answer in time: Twilio does not send it again, because it may have arrived
]);
