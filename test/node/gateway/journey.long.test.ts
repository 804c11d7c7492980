/** Messages from a client's request to an SMSC and back, through the running service and a real gateway. */

import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Run, waitFor } from "../harness/processes.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import {
  type Client,
  type Folder,
  findFreePort,
  makeFolder,
  operate,
  runStart,
  send,
  untilStatus,
} from "../harness/service.ts";
import { KANNEL_INSTALL_HINT, type Kannel, kannelInstalled, startKannel } from "./kannel.ts";
import { inboundUrlOf } from "./kannel-config.ts";
import { type SmscSimulator, startSmscSimulator } from "./smsc-simulator.ts";

const SENDER = "+15005550001";
const WEBHOOK_KEY = "key-of-the-gateway-journey";
const WEBSITE = "/websites/gateway";

/** What becomes of a message, by the last four digits of its number: the simulated outcomes, but for one (see the end). */
const FINAL_STATUS: Record<string, string> = {
  "0001": "FAILED_TO_DELIVERY",
  "0002": "FAILED_TO_DELIVERY",
  "0003": "FAILED_TO_DELIVERY",
  "0004": "SENDING",
  "0005": "FAILED_TO_DELIVERY",
  "0006": "DELIVERED",
  "0007": "DELIVERED",
  "0008": "DELIVERED",
  "0009": "DELIVERED",
  "0011": "DELIVERED",
  "0012": "SENDING",
  "0013": "FAILED_TO_DELIVERY",
};
const SPECIAL = Object.keys(FINAL_STATUS);

/** The nth number: of each hundred, one with every outcome, and the rest are delivered. */
function numberOf(n: number): string {
  const special = SPECIAL[n % 100];
  return special ? `+1${300 + Math.floor(n / 100)}555${special}` : `+1${212 + Math.floor(n / 100)}555${1000 + n}`;
}

const statusOf = (phone: string) => FINAL_STATUS[phone.slice(-4)] ?? "DELIVERED";

const installed = kannelInstalled();
if (!installed) {
  console.warn(
    `SKIPPED: the journey through a gateway, because Kannel is not installed. To run it: ${KANNEL_INSTALL_HINT}`,
  );
}

describe.skipIf(!installed)("200 messages through the service, Kannel and an SMSC", () => {
  let smsc: SmscSimulator;
  let kannel: Kannel;
  let folder: Folder;
  let service: Run;
  let receiver: Receiver;
  let client: Client;
  let url: string;
  /** What was sent, by message id. */
  const sent = new Map<string, { phone: string; text: string }>();

  beforeAll(async () => {
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    smsc = await startSmscSimulator({ receiptDelayMs: 100 });
    const inboundUrl = inboundUrlOf(url, WEBHOOK_KEY);
    kannel = await startKannel({ smscPort: smsc.port, inboundUrl, store: true });
    receiver = await startReceiver();
    folder = makeFolder();
    const vars = {
      PUBLIC_ORIGIN: url,
      KANNEL_SENDSMS_URL: kannel.sendSmsUrl,
      KANNEL_USERNAME: kannel.username,
      KANNEL_PASSWORD: kannel.password,
      KANNEL_WEBHOOK_KEY: WEBHOOK_KEY,
    };
    const flags = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
    service = await runStart(folder, port, flags);
    await operate(url, "PUT", WEBSITE, { name: "Brand", carrier: "kannel", sender: SENDER });
    const phones = Array.from({ length: 200 }, (_, n) => numberOf(n));
    await operate(
      url,
      "POST",
      `${WEBSITE}/subscribers?everyone=subscribed`,
      ["phone_numbers", ...phones, "+12125550010"].join("\n"),
    );
    client = { url, ...(await operate(url, "POST", `${WEBSITE}/clients`, { callbackUrl: receiver.url })) };
  });

  afterAll(async () => {
    service?.child.kill("SIGTERM");
    await service?.exited;
    await kannel?.stop();
    await smsc?.close();
    await receiver?.close();
    folder?.remove();
  });

  /** Sends messages number `from` to `to`, ten at a time. */
  async function sendMany(from: number, to: number): Promise<string[]> {
    const ids: string[] = [];
    for (let start = from; start < to; start += 10) {
      const batch = Array.from({ length: Math.min(10, to - start) }, (_, i) => start + i);
      ids.push(...(await Promise.all(batch.map(sendOne))));
    }
    return ids;
  }

  async function sendOne(n: number): Promise<string> {
    const [phone, text] = [numberOf(n), n % 7 === 0 ? `message ${n} 👍` : `message ${n} {é}`];
    const { status, messageId } = await send(client, { phone, text, callbackData: `"${n}"` });
    expect(status).toBe(200);
    sent.set(messageId, { phone, text });
    return messageId;
  }

  /** One after the other: asking for all of them at once would keep the service from its work. */
  async function untilFinal(ids: string[]): Promise<void> {
    for (const id of ids) await untilStatus(url, id, statusOf(sent.get(id)?.phone ?? ""));
  }

  const submitsOf = ({ phone, text }: { phone: string; text: string }) =>
    smsc.submits.filter((submit) => `+${submit.to}` === phone && submit.text === text);

  it("brings each to its handset, and its receipt back, with every outcome that an SMSC has", async () => {
    const ids = await sendMany(0, 100);
    await untilFinal(ids);
  });

  it("loses none and sends none twice when the gateway is killed in the middle and comes back", async () => {
    smsc.setReachable(false);
    const inGateway = await sendMany(100, 150);
    for (const id of inGateway) await untilStatus(url, id, "SENDING");
    await kannel.kill();
    const inService = await sendMany(150, 200);
    for (const id of inService) {
      // The first are tried, and refused a connection; after that the circuit breaker is open.
      const seen = await waitFor("it to say why it waits", async () => {
        const message = await operate(url, "GET", `/messages/${id}`);
        return message.reasonDetail !== null && message;
      });
      expect(seen).toMatchObject({
        status: "PENDING_TO_SEND",
        reasonDetail: expect.stringMatching(
          /^kannel(: connection refused| keeps failing: its circuit breaker is open \(kannel: connection refused\))$/,
        ),
      });
    }
    smsc.setReachable(true);
    await kannel.restart();
    await untilFinal([...inGateway, ...inService]);
  });

  it("has handed each to the SMSC exactly once", () => {
    expect(sent.size).toBe(200);
    const accepted = [...sent.values()].map((message) => {
      const answered = submitsOf(message);
      const refusesFirst = ["0006", "0007"].includes(message.phone.slice(-4));
      return { ...message, submits: answered.length - (refusesFirst ? 1 : 0) };
    });
    expect(accepted.filter(({ submits }) => submits !== 1)).toEqual([]);
    expect(smsc.submits).toHaveLength(200 + accepted.filter(({ phone }) => /000[67]$/.test(phone)).length);
  });

  it("has posted each change once, signed, with the client's own data", async () => {
    const expected = [...sent].flatMap(([id, { phone }]) =>
      statusOf(phone) === "SENDING" ? [`${id}_SENDING`] : [`${id}_SENDING`, `${id}_${statusOf(phone)}`],
    );
    const finals = expected.filter((eventId) => !eventId.endsWith("_SENDING"));
    const posted = () => receiver.received.map(({ headers }) => headers["webhook-id"]);
    await waitFor("every final callback", () => finals.every((eventId) => posted().includes(eventId)));
    expect(new Set(posted()).size).toBe(posted().length);
    // A final receipt may overtake the answer to the submission: then there was no change to SENDING to tell of.
    expect(posted().filter((eventId) => !expected.includes(eventId ?? ""))).toEqual([]);
    const webhook = new Webhook(client.callbackSecret);
    for (const { body, headers } of receiver.received) {
      const event = webhook.verify(body, headers) as { messageId: string; phone: string; callbackData: string };
      expect(event.phone).toBe(sent.get(event.messageId)?.phone);
      expect(sent.get(event.messageId)?.text).toContain(`message ${JSON.parse(event.callbackData)} `);
    }
  });

  it("stops at a STOP: the person gets one confirmation, and not the next message", async () => {
    const phone = numberOf(99);
    const before = smsc.submits.length;
    for (const text of [" Stop! ", "stop"]) {
      expect(await smsc.sendInbound({ from: phone.slice(1), to: SENDER.slice(1), text })).toBe(true);
    }
    const path = `${WEBSITE}/people/${phone}`;
    await waitFor("both texts", async () => (await operate(url, "GET", path)).texts.length === 2);
    const person = await operate(url, "GET", path);
    expect(person).toMatchObject({ subscribed: false, optedOutByPerson: true });
    expect(person.changes.at(-1)).toMatchObject({ from: true, to: false, source: "keyword", proof: " Stop! " });
    await waitFor("the confirmation", () => smsc.submits.length > before);
    const { messageId } = await send(client, { phone, text: "one more" });
    await untilStatus(url, messageId, "NOT_SUBSCRIBED");
    const texts = smsc.submits.slice(before);
    expect(texts.map(({ to, text }) => [`+${to}`, text])).toEqual([[phone, expect.stringContaining("unsubscribed")]]);
  });

  it("refuses a receipt that nobody but an attacker has sent", async () => {
    const [messageId] = [...sent].find(([, { phone }]) => phone.endsWith("0004")) ?? [""];
    for (const key of ["", "&k=", `&k=${"0".repeat(64)}`, `&k=${WEBHOOK_KEY}`]) {
      const answer = await fetch(`${url}/carriers/kannel/receipts?m=${messageId}&type=1${key}`);
      expect(answer.status).toBe(403);
    }
    expect((await operate(url, "GET", `/messages/${messageId}`)).status).toBe("SENDING");
  });

  it("waits for a receipt of what the SMSC never answers, and does not send it again", async () => {
    // Last, because the gateway itself submits such a message again when its session is dropped.
    const { messageId } = await send(client, { phone: "+12125550010", text: "into the void" });
    await untilStatus(url, messageId, "SENDING");
    await waitFor(
      "the SMSC to have it",
      () => submitsOf({ phone: "+12125550010", text: "into the void" }).length === 1,
    );
  });
});
