// What a client is told to do about messages that may be stored: neither the database nor the queue has answered.
//
// A minute after the answer, no try of the database and no object of a website can store a message any more. The queue may have taken a job
// that cancels the message, although it has not answered. That job has run two minutes after the database has shown the message, at the
// latest: see RECOVERY_MILLISECONDS.

/** @param count of the messages */
export function adviseUnknown(count: number): string {
  const what =
    count === 1 ? "the message in details is stored" : `the ${count} messages in details that may be stored are`;
  return `Neither the database nor the queue of the service answered, so it is unknown whether ${what}. Wait a minute, and ask for the status of the messageId. If it is unknown (40401), the message is not stored, so you can send it again. If it is found, ask once more two minutes later, because it may still be cancelled: found again, it is stored and will be sent, so do not send it again. With an Idempotency-Key, you can repeat any request at once.`;
}
