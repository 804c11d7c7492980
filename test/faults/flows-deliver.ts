import type { OutboundMessage, Submission } from "../../src/carriers/carrier.ts";
import type { Flow } from "./flow.ts";
import type { Scene, Wish } from "./stage.ts";

const accepted = ({ messageId }: OutboundMessage): Submission => ({
  kind: "accepted",
  carrierMessageId: `c-${messageId}`,
});

/** What a carrier may answer, and what is said of the message then. */
const OUTCOMES: Record<string, (message: OutboundMessage) => Submission | Promise<Submission>> = {
  accepted,
  "accepted with its receipt": (message) => ({
    kind: "accepted",
    carrierMessageId: null,
    receipt: { status: "DELIVERED", reason: null, carrierMessageId: `c-${message.messageId}`, optedOut: false },
  }),
  refused: () => ({ kind: "refused", reason: "no such number" }),
  "refused, as the person has opted out there": () => ({ kind: "refused", reason: "opted out", optedOut: true }),
  "later, then accepted": (message) =>
    message.attempt === 1 ? { kind: "later", reason: "busy", retryAfterSeconds: 30 } : accepted(message),
  "later twice, without a time, then refused": ({ attempt }) =>
    attempt < 3 ? { kind: "later", reason: "busy" } : { kind: "refused", reason: "no" },
  unknown: () => ({ kind: "unknown", reason: "timeout" }),
  "no answer at all": () => Promise.reject(new Error("Network connection lost.")),
};

/** Those that another is much like; all of them are in one job too. */
const ONLY_LONG = ["later twice, without a time, then refused", "no answer at all"];

const deliver = (scene: Scene) => scene.stage.runQueues("messages");

/** A wish to text a number whose carrier answers so. */
function wishFor(scene: Scene, outcome: string): Wish {
  const wish = scene.wish(scene.stage.person().phone);
  const answer = OUTCOMES[outcome];
  if (answer) scene.stage.outside.behaviours.set(String(wish.to), answer);
  return wish;
}

/** Sends these, and one to somebody who then leaves. */
async function sendAndLeave(scene: Scene, wishes: Wish[]): Promise<void> {
  const leaving = scene.wish(scene.stage.person().phone, "NOT_SUBSCRIBED");
  await scene.sendAll([...wishes, leaving]);
  await scene.world.post("/text/unsubscribe", scene.client, { phone_numbers: [leaving.to] });
}

/** A job of the queue of messages; its callbacks are left to the recovery. */
export const DELIVERIES: Flow[] = [
  ...Object.keys(OUTCOMES).map((outcome) => ({
    name: `deliver: ${outcome}`,
    onlyLong: ONLY_LONG.includes(outcome),
    submits: true,
    survivesAll: true,
    prepare: (scene: Scene) => scene.send({ wish: wishFor(scene, outcome) }),
    act: deliver,
  })),
  {
    name: "deliver: opted out in the meantime",
    submits: true,
    survivesAll: true,
    prepare: (scene) => sendAndLeave(scene, []),
    act: deliver,
  },
  {
    name: "deliver: one job with every outcome",
    submits: true,
    survivesAll: true,
    prepare: (scene) =>
      sendAndLeave(
        scene,
        Object.keys(OUTCOMES).map((outcome) => wishFor(scene, outcome)),
      ),
    act: deliver,
  },
];

/** What a message has come to, which a receipt that was answered with 200 has told. */
const judgeStatus = (status: string) => async (scene: Scene) => {
  const faults: string[] = [];
  for (const id of scene.wishes.flatMap(({ answered }) => [...answered])) {
    const is = await scene.world.statusOf(id);
    if (is !== status) faults.push(`${id} is ${is} in place of ${status}`);
  }
  return faults;
};

const idsOf = (scene: Scene) => scene.wishes.flatMap(({ answered }) => [...answered]);

/** A carrier's reports, which it repeats until it gets a 200, and the queue that applies them. */
export const RECEIPTS: Flow[] = [
  {
    name: "receipts of three messages that the queue brings together, one of them as the person has opted out there",
    survivesAll: true,
    prepare: async (scene) => {
      await scene.sendAll([1, 2, 3].map(() => scene.wish(scene.stage.person().phone)));
      await scene.stage.runQueues("messages");
      const [first = "", ...others] = idsOf(scene);
      for (const messageId of others) await scene.receipts([{ messageId, status: "SENDING" }, { messageId }]);
      await scene.receipts([{ messageId: first, reason: "x", optedOut: true }]);
    },
    act: (scene) => scene.stage.runQueues("receipts"),
    judge: async (scene) => [
      ...(await judgeStatus("DELIVERED")(scene)),
      ...(await scene.judgeNumber(String(scene.wishes[0]?.to), { subscribed: 0, changes: 2 })),
    ],
  },
  {
    name: "receipt: delivered",
    prepare: (scene) => scene.sendAndDeliver(),
    act: (scene) => scene.receipts(idsOf(scene).map((messageId) => ({ messageId }))),
    judge: judgeStatus("DELIVERED"),
  },
  {
    name: "receipts of three messages in one report, two of them twice",
    onlyLong: true,
    survivesAll: true,
    prepare: async (scene) => {
      await scene.sendAll([1, 2, 3].map(() => scene.wish(scene.stage.person().phone)));
      await scene.stage.runQueues("messages");
    },
    act: (scene) => {
      const [first = "", second = "", third = ""] = idsOf(scene);
      const sent = { messageId: first, status: "SENDING" as const };
      return scene.receipts([sent, ...[first, second, second, third].map((messageId) => ({ messageId }))]);
    },
    judge: judgeStatus("DELIVERED"),
  },
  {
    name: "receipt: undelivered, as the person has opted out there",
    survivesAll: true,
    prepare: (scene) => scene.sendAndDeliver(),
    act: (scene) =>
      scene.receipts(
        idsOf(scene).map((messageId) => ({ messageId, status: "FAILED_TO_DELIVERY", reason: "x", optedOut: true })),
      ),
    judge: async (scene) => [
      ...(await judgeStatus("FAILED_TO_DELIVERY")(scene)),
      ...(await scene.judgeNumber(String(scene.wishes[0]?.to), { subscribed: 0, changes: 2 })),
    ],
  },
];
