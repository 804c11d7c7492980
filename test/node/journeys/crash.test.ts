import { describe, expect, test } from "vitest";
import { RECEIPT } from "../harness/fake-kannel.ts";
import { phoneAt } from "../trials/crash/client.ts";
import { mostInMinute } from "../trials/crash/paced.ts";
import { planKills, planRequests } from "../trials/crash/plan.ts";
import type { EventRow, MessageRow } from "../trials/crash/record.ts";
import { type Outside, tally } from "../trials/crash/tally.ts";

test("a seed makes one plan: every message once, and the kills within the run", () => {
  const requests = planRequests(3, 1000);
  expect(requests.flatMap(({ messages }) => messages)).toEqual([...Array(1000).keys()]);
  expect(planRequests(3, 1000)).toEqual(requests);
  expect(planRequests(4, 1000)).not.toEqual(requests);
  expect(new Set(requests.map(({ kind }) => kind)).size).toBe(3);
  const kills = planKills(3, 10, 1000);
  expect(kills).toHaveLength(10);
  expect(Math.min(...kills)).toBeGreaterThanOrEqual(20);
  expect(Math.max(...kills)).toBeLessThanOrEqual(970);
});

test.each<[times: number[], most: number]>([
  [[], 0],
  [[5], 1],
  [[0, 59_999, 60_000], 2],
  [[0, 30_000, 60_000, 60_001, 89_999, 150_000], 4],
])("the most in any minute, of %j: %i", (times, most) => {
  expect(mostInMinute(times)).toBe(most);
});

describe("the tally", () => {
  const ID = "6f1c1f6e-0000-4000-8000-000000000001";
  const CALLBACK = `${ID}_DELIVERED`;
  const UNASKED = 19;

  /** One message, accepted, submitted, delivered and called back once. */
  function world() {
    const outside: Outside = {
      load: {
        sent: new Map([[0, { kind: "keyed", outcome: "accepted", messageId: ID, at: 0 }]]),
        changedIds: [],
      },
      carrier: {
        takenById: new Map([[ID, 1]]),
        takenByPhone: new Map([[phoneAt(0), 1]]),
        confirmed: new Map([[ID, RECEIPT.delivered]]),
        reporting: 0,
        strays: 0,
      },
      receiver: { received: new Map([[CALLBACK, 1]]), wronglySigned: 0 },
    };
    const message: MessageRow = {
      messageId: ID,
      websiteId: "w",
      phone: phoneAt(0),
      status: "DELIVERED",
      reason: null,
      claimed: false,
      claimedAt: null,
    };
    const event: EventRow = {
      eventId: CALLBACK,
      messageId: ID,
      websiteId: "w",
      due: true,
      attempted: true,
      outcome: "answered",
      httpStatus: 200,
    };
    return { ...outside, message, event };
  }

  type World = ReturnType<typeof world>;

  function tallyOf(change: (it: World) => void) {
    const it = world();
    change(it);
    return tally(it, { messages: [it.message], events: [it.event] });
  }

  const notTaken = ({ carrier, receiver, message }: World, status = message.status) => {
    for (const counts of [carrier.takenById, carrier.takenByPhone, carrier.confirmed, receiver.received])
      counts.clear();
    message.status = status;
  };

  test("finds no fault where there is none", () => {
    expect(tallyOf(() => {})).toMatchObject({ faults: [], figures: { accepted: 1, submitted: 1, lost: 0, final: 1 } });
  });

  test("a message that a killed run has claimed is unknown, whether it was submitted or not", () => {
    const claim = (it: World) => {
      Object.assign(it.message, { status: "PENDING_TO_SEND", claimed: true });
      it.event.due = false;
      it.receiver.received.clear();
    };
    const submitted = tallyOf((it) => {
      claim(it);
      it.carrier.confirmed.clear();
    });
    expect(submitted).toMatchObject({ faults: [], figures: { "unknown, 1 text": 1, "unknown, 0 texts": 0, lost: 0 } });
    const not = tallyOf((it) => {
      claim(it);
      notTaken(it);
    });
    expect(not).toMatchObject({ faults: [], figures: { "unknown, 1 text": 0, "unknown, 0 texts": 1, lost: 0 } });
  });

  test("a request without an answer may have come to nothing", () => {
    const { figures, faults } = tallyOf((it) => {
      it.load.sent.set(2, { kind: "keyless", outcome: "unanswered", messageId: null, at: 0 });
    });
    expect(faults).toEqual([]);
    expect(figures).toMatchObject({ unanswered: 1, "unanswered, stored": 0, lost: 0 });
  });

  test.each<[string, (it: World) => void, object]>([
    ["submitted twice", (it) => it.carrier.takenByPhone.set(phoneAt(0), 2), { "submitted twice": 1 }],
    ["submitted twice under one id", (it) => it.carrier.takenById.set(ID, 2), {}],
    [
      "a number that was not asked for",
      (it) => {
        it.load.sent.clear();
        it.load.sent.set(UNASKED, { kind: "keyed", outcome: "accepted", messageId: ID, at: 0 });
        it.message.phone = phoneAt(UNASKED);
        it.carrier.takenByPhone.set(phoneAt(UNASKED), 1);
      },
      { "submitted unasked": 1 },
    ],
    ["lost: waits for ever", (it) => notTaken(it, "PENDING_TO_SEND"), { lost: 1 }],
    ["lost: given up", (it) => notTaken(it, "FAILED_TO_SEND"), { lost: 1 }],
    ["lost: said to be sent", (it) => notTaken(it, "SENDING"), { lost: 1 }],
    ["lost: not in the record", (it) => Object.assign(it.message, { messageId: "another" }), { lost: 1 }],
    ["a receipt that was forgotten", (it) => Object.assign(it.message, { status: "SENDING" }), {}],
    ["receipts that are refused", (it) => Object.assign(it.carrier, { reporting: 1 }), {}],
    ["a delivery that nobody reported", (it) => it.carrier.confirmed.clear(), {}],
    ["called back twice", (it) => it.receiver.received.set(CALLBACK, 2), { "called back twice": 1 }],
    ["called back without a record", (it) => it.receiver.received.set(`${ID}_SENDING`, 1), {}],
    ["a callback that never came", (it) => it.receiver.received.clear(), { "callbacks received": 0 }],
    ["a callback that waits", (it) => Object.assign(it.event, { attempted: false, outcome: null }), {}],
    ["a status without its event", (it) => Object.assign(it.event, { eventId: `${ID}_SENDING`, due: false }), {}],
    ["a wrong signature", (it) => Object.assign(it.receiver, { wronglySigned: 1 }), {}],
    ["another id for the same key", (it) => it.load.changedIds.push("key"), {}],
    ["a redirect that was followed", (it) => Object.assign(it.carrier, { strays: 1 }), {}],
  ])("finds: %s", (_, change, figures) => {
    const found = tallyOf(change);
    expect(found.faults).not.toEqual([]);
    expect(found.figures).toMatchObject(figures);
  });
});
