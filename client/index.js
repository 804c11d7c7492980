/** @import * as Types from "./types.js" */

export { SignatureError, verifyCallback } from "./callback.js";
export { TextgateError } from "./error.js";
export { EventFeed } from "./event-feed.js";
export { Textgate } from "./textgate.js";

/**
 * @typedef {Types.SendRequest} SendRequest
 * @typedef {Types.SendAnswer} SendAnswer
 * @typedef {Types.BulkSendAnswer} BulkSendAnswer
 * @typedef {Types.CancelAnswer} CancelAnswer
 * @typedef {Types.Message} Message
 * @typedef {Types.MessageStatus} MessageStatus
 * @typedef {Types.Reason} Reason
 * @typedef {Types.MessageStatuses} MessageStatuses
 * @typedef {Types.PhoneList} PhoneList
 * @typedef {Types.SubscribeRequest} SubscribeRequest
 * @typedef {Types.SubscribeAnswer} SubscribeAnswer
 * @typedef {Types.UnsubscribeAnswer} UnsubscribeAnswer
 * @typedef {Types.SubscriptionStatuses} SubscriptionStatuses
 * @typedef {Types.CallbackEvent} CallbackEvent
 * @typedef {Types.CallbackHeaders} CallbackHeaders
 * @typedef {Types.FeedEvent} FeedEvent
 * @typedef {Types.EventPage} EventPage
 * @typedef {Types.Requests} Requests
 * @typedef {Types.ErrorDetail} ErrorDetail
 */
