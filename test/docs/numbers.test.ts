/** Numbers in the sentences of README.md and docs/ that the code decides. The tables that `npm run docs` writes have their own. */
import { describe, expect, it } from "vitest";
import { LONGEST_PAUSE_SECONDS as LONGEST_NAMED_SECONDS } from "../../src/carriers/http.ts";
import { DEFAULT_GRACE_SECONDS } from "../../src/domain/clients/client.ts";
import { REFUSED_AGAIN_MILLISECONDS, USED_AGAIN_MILLISECONDS } from "../../src/domain/clients/client-uses.ts";
import { REFUSAL_DAYS } from "../../src/domain/clients/refusal-tally.ts";
import {
  REFUSED_KEPT,
  REFUSED_KEPT_MILLISECONDS,
  REFUSED_ONCE_MILLISECONDS,
} from "../../src/domain/clients/refused-request.ts";
import { REQUESTS_PER_SECOND } from "../../src/domain/clients/sliding-window.ts";
import { MOST_CAP_HOURS, MOST_WORDS } from "../../src/domain/clients/website.ts";
import { FILLING_SHARE, FULL_SHARE } from "../../src/domain/databases/database-state.ts";
import { DAY_MILLISECONDS } from "../../src/domain/day.ts";
import { CHUNK_MESSAGES, MAX_BULK_MESSAGES, MOST_DEEP } from "../../src/domain/messages/bulk-request.ts";
import { MAX_CANCELLED } from "../../src/domain/messages/cancel-request.ts";
import { SPREAD_MILLISECONDS } from "../../src/domain/messages/closed-hours.ts";
import { MOST_CHARACTERS, MOST_NAMES } from "../../src/domain/messages/ignored-fields.ts";
import { MAX_MESSAGE_IDS } from "../../src/domain/messages/message-ids.ts";
import {
  CAP_PAUSE_SECONDS,
  DELIVERY_RUN_MILLISECONDS,
  GRACE_MILLISECONDS,
  JOB_TRIES,
  LONGEST_PAUSE_SECONDS,
  LONGEST_RECOVERY_SECONDS,
  LONGEST_RUN_MILLISECONDS,
  LONGEST_STORE_TRY_MILLISECONDS,
  MOST_ATTEMPTS,
  QUEUE_RETRIES,
  RECEIPT_WITHIN_HOURS,
  RECOVERY_MILLISECONDS,
  SCHEDULED_LEAD_MILLISECONDS,
  SILENT_STORE_TRIES,
  STORE_TRY_MILLISECONDS,
  TRY_LIFE_SECONDS,
} from "../../src/domain/messages/retry-policy.ts";
import { LOOK_AHEAD_DAYS } from "../../src/domain/messages/sending-hours.ts";
import { ENDPOINT_FAILURES, LATE_SECONDS } from "../../src/domain/operations/problems.ts";
import { SESSION_SECONDS } from "../../src/domain/operations/session.ts";
import { MAX_EVIDENCE_CHARACTERS } from "../../src/domain/people/consent.ts";
import { MOST_PHONE_CHARACTERS } from "../../src/domain/people/echo.ts";
import { MOST_EMAIL_CHARACTERS } from "../../src/domain/people/email.ts";
import { MAX_CSV_ROWS } from "../../src/domain/people/phone-file.ts";
import { LEAST_LETTERS } from "../../src/domain/people/quotation.ts";
import { MOST_FAULTS } from "../../src/domain/people/row-faults.ts";
import { MOST_ROWS, PART_ROWS } from "../../src/domain/people/subscriber-file.ts";
import { MOST_INVALID_CELLS } from "../../src/domain/people/subscribers.ts";
import { PAUSE_SECONDS } from "../../src/flows/callbacks/post-callbacks.ts";
import { OWN_TEST_SECONDS } from "../../src/flows/callbacks/post-test-event.ts";
import { CONNECTIONS_A_HOST } from "../../src/flows/callbacks/post-to-host.ts";
import { OLDER_ISOLATE_MILLISECONDS } from "../../src/flows/databases/choose-database.ts";
import {
  DATABASE_PAUSE_MILLISECONDS,
  PROBE_MILLISECONDS,
  SLOW_MILLISECONDS,
} from "../../src/flows/databases/split-batch.ts";
import { MOST_STORE_FAILURES } from "../../src/flows/in-turn.ts";
import { IDEMPOTENCY_MILLISECONDS } from "../../src/flows/messages/accept-message.ts";
import { OUTBOUND_CONNECTIONS } from "../../src/flows/messages/connections.ts";
import { SUBMISSIONS_A_CONNECTION } from "../../src/flows/messages/deliver-messages.ts";
import { CLAIM_WAIT_MILLISECONDS } from "../../src/flows/messages/delivery-run.ts";
import { LONGEST_COUNT_MILLISECONDS } from "../../src/flows/messages/hold-messages.ts";
import { CALLBACKS_A_JOB, QUEUE_MILLISECONDS } from "../../src/flows/messages/queue-jobs.ts";
import { LOOK } from "../../src/flows/messages/read-waiting.ts";
import { MOST_IN_A_GROUP, MOST_WAITING } from "../../src/flows/messages/store-sends.ts";
import { PUT_BACK_DAYS } from "../../src/flows/messages/submit-message.ts";
import { LONGEST_MILLISECONDS, MOST_STEPS } from "../../src/flows/messages/through-waiting.ts";
import { MOST_POSTS } from "../../src/flows/operations/tell-problems.ts";
import { UNDO_MILLISECONDS } from "../../src/flows/people/undo-import.ts";
import { MOST_NESTED } from "../../src/http/body.ts";
import { SAMPLED } from "../../src/http/request-log.ts";
import { LAST_CHANGES } from "../../src/operator/audit.ts";
import { MOST_FILE_ROWS } from "../../src/operator/csv-file.ts";
import { LONGEST_DAYS, MOST_WEBSITE_DAYS } from "../../src/operator/reports.ts";
import { CALLBACK_TIMEOUT_MILLISECONDS } from "../../src/platform/callback-post.ts";
import { REFUSED_MILLISECONDS as GUESSER_MILLISECONDS, MISSING_MILLISECONDS } from "../../src/platform/guesses.ts";
import { LIMITER_MILLISECONDS } from "../../src/platform/rate-limiter.ts";
import { REPEATED_ROTATION_MILLISECONDS } from "../../src/store/clients/clients.ts";
import { KV_MILLISECONDS } from "../../src/store/clients/credentials.ts";
import { LOOKED_THROUGH as FOUND_THROUGH } from "../../src/store/messages/find-messages.ts";
import { LOOKED_THROUGH } from "../../src/store/messages/find-waiting.ts";
import { REFUSED_MILLISECONDS } from "../../src/store/messages/idempotency-keys.ts";
import { CALLED_BACK } from "../../src/store/messages/links.ts";
import { KEPT_SUBMISSIONS } from "../../src/store/messages/submissions.ts";
import { COUNTED_ROWS } from "../../src/store/operations/service-state.ts";
import { MOST_RECORDS } from "../../src/store/people/person-records.ts";
import wrangler from "../../wrangler.toml?raw";

const texts = import.meta.glob("../../{README,docs/*}.md", { query: "?raw", import: "default", eager: true });

/** On one line: a sentence is found wherever its line breaks. */
const textOf = (page: string) => String(texts[`../../${page}.md`]).replaceAll(/\s+/g, " ");

const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const inWords = (count: number) => WORDS[count] ?? String(count);
const inDigits = (count: number) => count.toLocaleString("en");
const seconds = (milliseconds: number) => milliseconds / 1000;
const minutes = (milliseconds: number) => milliseconds / 60_000;
const hours = (milliseconds: number) => milliseconds / 3_600_000;

/** A value of a queue's consumer in wrangler.toml. */
function ofQueue(queue: string, name: string): number {
  const [, section = ""] = wrangler.split(`[[queues.consumers]]\nqueue = "textgate-${queue}"\n`);
  return Number(new RegExp(`^${name} = (\\d+)$`, "m").exec(section.split("\n[")[0] ?? "")?.[1]);
}

it("has single texts wait for others as long as callbacks", () => {
  expect(ofQueue("messages", "max_batch_timeout")).toBe(ofQueue("callbacks", "max_batch_timeout"));
});

const LIMIT_OF_GUESSES = Number(/simple = \{ limit = (\d+)/.exec(wrangler)?.[1]);
const FIRST_CLAIM = OUTBOUND_CONNECTIONS * SUBMISSIONS_A_CONNECTION.first;
const LARGEST_CLAIM = OUTBOUND_CONNECTIONS * SUBMISSIONS_A_CONNECTION.fast;
const OUTCOME_UNKNOWN_MINUTES = Math.ceil(minutes(LONGEST_RUN_MILLISECONDS + RECOVERY_MILLISECONDS));

/** The prices of a million messages in docs/measurements.md: alone, and then in company. */
const PRICES = /^\| a million messages, with the purge \|(.*)\|$/m.exec(
  String(texts["../../docs/measurements.md"]),
)?.[1];
const [alone = 0, ...together] = (PRICES?.match(/[\d.]+/g) ?? []).map((price) => Math.round(Number(price)));
const [cheapest, dearest] = [Math.min(...together), Math.max(...together)];

const SENTENCES: Record<string, string[]> = {
  README: [
    `after ${RECEIPT_WITHIN_HOURS.fallback} hours without a receipt`,
    `A million texts cost $${cheapest} to $${dearest} beyond what the plan includes, or $${alone} if each comes alone`,
  ],
  "docs/api": [
    `at most ${MOST_NAMES} names and ${MOST_CHARACTERS} characters`,
    `at most ${inDigits(MOST_NESTED)} arrays and objects`,
    `nested at most ${inDigits(MOST_DEEP)} deep`,
    `q=${REQUESTS_PER_SECOND};w=1`,
    `accepts up to ${REQUESTS_PER_SECOND} requests of a website in any one second`,
    `Within ${hours(IDEMPOTENCY_MILLISECONDS)} hours, the same key and body`,
    `so the key stays valid for ${inWords(REFUSED_MILLISECONDS / DAY_MILLISECONDS)} days`,
    `spread over the first ${minutes(SPREAD_MILLISECONDS)} minutes`,
    `one item each for the first ${inDigits(MAX_BULK_MESSAGES)}`,
    `${CHUNK_MESSAGES} at a time`,
    `the next ${CHUNK_MESSAGES} messages may be stored`,
    `<1 to ${inDigits(MAX_CANCELLED)} ids>`,
    `<1 to ${inDigits(MAX_MESSAGE_IDS)} ids>`,
    `longer than ${MOST_PHONE_CHARACTERS} characters (an address: ${MOST_EMAIL_CHARACTERS})`,
    `\`evidence\` has at most ${inDigits(MAX_EVIDENCE_CHARACTERS)} characters`,
    `Only the first ${inWords(CALLED_BACK)} on each message are posted`,
  ],
  "docs/callbacks": [
    `a person's first ${inWords(CALLED_BACK)} clicks`,
    `stops waiting after ${seconds(CALLBACK_TIMEOUT_MILLISECONDS)} seconds`,
    `one test event in ${OWN_TEST_SECONDS} seconds`,
    `A callback waits up to ${ofQueue("callbacks", "max_batch_timeout")} second for others. The text before it, if it was sent alone, waits as long`,
    `${inDigits(MAX_MESSAGE_IDS)} at a time`,
    `in files of ${inDigits(MAX_CSV_ROWS)} numbers`,
  ],
  "docs/errors": [
    `<1 to ${REFUSED_KEPT}>`,
    `about one request in ${inWords(seconds(REFUSED_ONCE_MILLISECONDS))} seconds is kept`,
    `kept, for ${inWords(REFUSED_KEPT_MILLISECONDS / DAY_MILLISECONDS)} days`,
    `by day and code, for ${REFUSAL_DAYS} days`,
  ],
  "docs/guarantees": [
    `in groups of up to ${MOST_IN_A_GROUP}. If ${inDigits(MOST_WAITING)} sends are waiting`,
    `After ${inWords(JOB_TRIES)} tries it is a dead job`,
    `A delivery is tried ${QUEUE_RETRIES.messages + 1} times`,
    `at least every ${LONGEST_RECOVERY_SECONDS} seconds`,
    `between claim and outcome (at most ${LARGEST_CLAIM} messages)`,
    `begins no submission after ${seconds(DELIVERY_RUN_MILLISECONDS)} seconds`,
    `within the ${seconds(GRACE_MILLISECONDS)} seconds of grace`,
    `once a later try has run, and ${TRY_LIFE_SECONDS} seconds after it began`,
    `${seconds(STORE_TRY_MILLISECONDS)} seconds for each of ${inWords(SILENT_STORE_TRIES)} tries of D1 (${seconds(LONGEST_STORE_TRY_MILLISECONDS)} for a report), and ${seconds(KV_MILLISECONDS)} seconds for KV and for a queue`,
    `After ${seconds(CLAIM_WAIT_MILLISECONDS)} seconds, the outcomes so far are stored`,
    `up to ${inWords(LONGEST_PAUSE_SECONDS / 60)} minutes`,
    `do not count towards the ${MOST_ATTEMPTS}`,
    `Up to ${ofQueue("receipts", "max_batch_size")} receipts are applied in one transaction`,
    `claimed callbacks, at most ${CALLBACKS_A_JOB * ofQueue("callbacks", "max_batch_size")},`,
    `at most ${inWords(CONNECTIONS_A_HOST)} in parallel`,
    `for ${inWords(MOST_STORE_FAILURES)} elements in a row`,
    `within ${inWords(seconds(SLOW_MILLISECONDS + PROBE_MILLISECONDS))} seconds that a database does not answer`,
    `leaves the jobs of the database alone for ${seconds(DATABASE_PAUSE_MILLISECONDS)} seconds`,
    `From ${FULL_SHARE * 100} % of D1's 10 GB on`,
    `from ${FILLING_SHARE * 100} % on`,
  ],
  "docs/platforms": [
    `within ${hours(IDEMPOTENCY_MILLISECONDS)} hours, the key sends one text`,
    `a key is valid for ${hours(IDEMPOTENCY_MILLISECONDS)} hours`,
    `${REQUESTS_PER_SECOND} per second and website`,
  ],
  "docs/runbook": [
    `a second one within ${minutes(REPEATED_ROTATION_MILLISECONDS)} minutes replaces the first`,
    `about ${FIRST_CLAIM}, at most ${LARGEST_CLAIM}`,
    `After ${seconds(UNDO_MILLISECONDS)} seconds, the call answers with`,
    `After ${minutes(LONGEST_RUN_MILLISECONDS)} minutes, they count as \`STUCK\``,
    `After ${OUTCOME_UNKNOWN_MINUTES} minutes it becomes SENDING`,
    `Wait ${OUTCOME_UNKNOWN_MINUTES - minutes(LONGEST_RUN_MILLISECONDS)} minutes`,
    `the first and the latest ${KEPT_SUBMISSIONS - 1} are kept`,
    `more than ${REQUESTS_PER_SECOND} requests per second`,
    `at most once in ${inWords(minutes(USED_AGAIN_MILLISECONDS))} minutes`,
    `After a minute, or after ${inDigits(MOST_STEPS * LOOKED_THROUGH)} messages`,
    `It looks at ${inDigits(LOOK.messages)} messages of a database at most`,
    `pending for more than ${inWords(LATE_SECONDS / 60)} minutes`,
    `No sweep has ended for ${inWords(LATE_SECONDS / 60)} minutes`,
    `At least the last ${inWords(ENDPOINT_FAILURES)} callbacks`,
    `${inWords(JOB_TRIES)} failures of their own`,
  ],
  "docs/monitoring": [
    `at most ${MOST_POSTS} alerts`,
    `Each state is counted up to ${inDigits(COUNTED_ROWS)}`,
    `with \`sampled\` ${SAMPLED}`,
    `One address may miss ${LIMIT_OF_GUESSES} links in ${inWords(seconds(GUESSER_MILLISECONDS))} seconds`,
    `counts once** in ${inWords(seconds(MISSING_MILLISECONDS))} seconds`,
    `${inWords(minutes(SCHEDULED_LEAD_MILLISECONDS))} minutes before its time`,
  ],
  "docs/procedures": [
    `show the last ${inWords(LAST_CHANGES)} changes`,
    `ends after ${SESSION_SECONDS / 3600} hours`,
    `lists the first ${inDigits(MOST_INVALID_CELLS)} in`,
    `the first ${MOST_FAULTS} faults of each column`,
    `in parts of ${inDigits(PART_ROWS)} rows`,
    `at most ${inDigits(MOST_ROWS)} rows`,
    `at most ${inDigits(FOUND_THROUGH)} messages of each database`,
    `at most the latest ${inDigits(MOST_RECORDS)} messages`,
    `at most ${inDigits(MOST_FILE_ROWS)} rows`,
    `more than ${inDigits(MOST_WEBSITE_DAYS)}`,
    `at most ${LONGEST_DAYS} days before its last day`,
    `accepts websites ${inWords(minutes(OLDER_ISOLATE_MILLISECONDS))} minutes after its first sweep`,
    `| ${REFUSED_KEPT_MILLISECONDS / DAY_MILLISECONDS} days; numbers are masked |`,
    `by day and code | ${REFUSAL_DAYS} days |`,
    `that met the daily limit ${hours(REFUSED_MILLISECONDS)} hours`,
  ],
  "docs/settings": [
    `at most ${MOST_CAP_HOURS}`,
    `every ${CAP_PAUSE_SECONDS} seconds`,
    `until ${PUT_BACK_DAYS} days after its acceptance`,
    `spread over ${minutes(SPREAD_MILLISECONDS)} minutes`,
    `in parts of up to ${CHUNK_MESSAGES}`,
    `period\`, because the code expects ${inWords(seconds(GUESSER_MILLISECONDS))} seconds`,
  ],
  "docs/carriers": [`or ${LEAST_LETTERS} letters of it`, `up to ${MOST_WORDS} \`optOutWords\``],
  "docs/sending-hours": [`do not open within ${LOOK_AHEAD_DAYS} days`],
  "docs/architecture": [
    `claim ${FIRST_CLAIM}: pending`,
    `submit, ${inWords(OUTBOUND_CONNECTIONS)} at a time`,
    `up to ${CALLBACKS_A_JOB} a job`,
    `receipts, up to ${ofQueue("receipts", "max_batch_size")}`,
  ],
};

describe.each(Object.keys(SENTENCES))("%s.md", (page) => {
  it.each(SENTENCES[page] ?? [])("says: %s", (sentence) => expect(textOf(page).includes(sentence)).toBe(true));
});

/** Said in words that no number makes. */
it("words that stand for a number are still right", () => {
  expect(LIMITER_MILLISECONDS, "half a second").toBe(500);
  expect(PAUSE_SECONDS, "wait a minute").toBe(60);
  expect(REFUSED_AGAIN_MILLISECONDS, "once a minute for each cause").toBe(60_000);
  expect(LONGEST_MILLISECONDS, "after a minute").toBe(60_000);
  expect(LONGEST_COUNT_MILLISECONDS, "for a second at most").toBe(1000);
  expect(LONGEST_NAMED_SECONDS, "up to an hour if the carrier names a longer time").toBe(3600);
  expect(DEFAULT_GRACE_SECONDS, "the present pair stays valid for a day").toBe(86_400);
  expect(QUEUE_MILLISECONDS, "as long as KV").toBe(KV_MILLISECONDS);
  expect(seconds(RECOVERY_MILLISECONDS), "a minute and a half").toBe(90);
});
