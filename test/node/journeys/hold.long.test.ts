/** A campaign of 20,000 texts goes out: one press holds it, whatever is sent meanwhile, and its undo lets it go. */
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, makeClient, operate, type Service, startService } from "../harness/service.ts";

const TEXTS = 20_000;
const A_REQUEST = 2000;
/** So many must have gone, and so many must be left, for the press to come in the middle. */
const IN_THE_MIDDLE = 1000;
const HELD_WITHIN_MILLISECONDS = 2000;
/** A run has claimed at most so many when the hold takes effect. */
const CLAIMED = 20;

const PHONES = Array.from({ length: TEXTS }, (_, index) => `+1212${5_550_000 + index}`);

let service: Service;
let client: Client & { websiteId: string };

beforeAll(async () => {
  service = await startService();
  client = await makeClient(service.url, "", PHONES);
});

afterAll(() => service?.stop());

async function sendSome(phones: string[]): Promise<void> {
  const messages = phones.map((phone) => ({ phone, text: "Sale", callbackData: "", sendPurpose: "sale" }));
  const answer = await fetch(`${service.url}/text/bulk/message/send`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
    },
    body: JSON.stringify({ messages }),
  });
  expect(answer.status).toBe(200);
}

const call = (what: string, body: object) =>
  operate(service.url, "POST", `/websites/${client.websiteId}/${what}`, body);
/** All that wait, counted one by one. */
const countWaiting = async (): Promise<number> => (await call("cancel", { dryRun: true })).cancelled;

test("one press holds a campaign that goes, and the undo of the press lets it go", async () => {
  for (let at = 0; at < TEXTS; at += A_REQUEST) await sendSome(PHONES.slice(at, at + A_REQUEST));
  const began = { at: performance.now(), waiting: await countWaiting() };
  await expect.poll(async () => began.waiting - (await countWaiting())).toBeGreaterThan(IN_THE_MIDDLE);

  const pressed = { at: performance.now(), waiting: await countWaiting() };
  const rate = ((began.waiting - pressed.waiting) / (pressed.at - began.at)) * 1000;
  const { holdId, held } = await call("hold", { sendPurpose: "sale" });
  const answered = performance.now() - pressed.at;
  await wait(HELD_WITHIN_MILLISECONDS - answered);
  const still = await countWaiting();
  console.info(`${rate.toFixed(0)} texts a second; the hold answered in ${answered.toFixed(0)} ms; ${still} are held`);
  expect(answered).toBeLessThan(HELD_WITHIN_MILLISECONDS);
  expect(still).toBeGreaterThan(IN_THE_MIDDLE);
  expect(held).toBeGreaterThanOrEqual(still);
  expect(held).toBeLessThanOrEqual(still + CLAIMED);
  await wait(3000);
  expect(await countWaiting()).toBe(still);
  expect((await operate(service.url, "GET", "/holds")).holds).toMatchObject([{ holdId, texts: still }]);

  expect(await call("release", { holdId })).toMatchObject({ released: still, ended: [{ holdId }], remaining: [] });
  await expect.poll(countWaiting, { timeout: 150_000, interval: 1000 }).toBe(0);
  const cancelled = await operate(service.url, "GET", `/messages?website=${client.websiteId}&reason=CANCELLED`);
  expect(cancelled.messages).toEqual([]);
});
