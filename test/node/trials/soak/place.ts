// The service, its carrier, its clients and their endpoint, all of them on loopback.
import { buildWorker } from "../../../../bench/build.ts";
import { digitsAt } from "../../../../bench/seed.ts";
import { start } from "../../../../bench/service.ts";
import { CountingReceiver } from "../../harness/counting-receiver.ts";
import { accept, CountingCarrier, type Submission } from "../../harness/fake-kannel.ts";
import { makeScratch } from "../../harness/scratch.ts";
import { openStore } from "../../harness/store.ts";
import { call } from "./call.ts";

const NAME = "soak";
export const WEBHOOK_KEY = "key-of-the-soak";
export const SENDER = "12345";

/** Subscribed numbers of each website, and how many of them have an e-mail address. */
export const NUMBERS = 2_000;
export const ADDRESSES = 20;
/** To the sandbox: refused, undelivered, no receipt, unknown. */
export const SPECIAL_NUMBERS = ["0001", "0002", "0003", "0005"].map((ending) => `+1646550${ending}`);
/** It submits such a one twice, a second apart. */
export const LATER_NUMBER = "+16465500004";

export const numberAt = (index: number) => `+${digitsAt(index)}`;

export interface SoakClient {
  websiteId: string;
  clientId: string;
  headers: Record<string, string>;
}

export async function makePlace() {
  const directory = await makeScratch(0);
  await buildWorker(directory, NAME, "test/workers/soak.ts");
  await buildWorker(directory, "store", "test/workers/store.ts");
  const taken: Submission[] = [];
  // Its receipts are given when the soak asks for them.
  const carrier = new CountingCarrier((submission) => {
    taken.push(submission);
    return { takes: true, answer: accept, receipts: [] };
  });
  await carrier.open();
  const receiver = await new CountingReceiver().open();
  const errors: string[] = [];
  const workers = await start({
    directory,
    names: [NAME, "store"],
    withConsumers: true,
    withInspector: true,
    vars: {
      RETENTION_DAYS: "7",
      PUBLIC_ORIGIN: "http://soak.example",
      KANNEL_SENDSMS_URL: carrier.url,
      KANNEL_USERNAME: "soak",
      KANNEL_PASSWORD: "soak",
      KANNEL_WEBHOOK_KEY: WEBHOOK_KEY,
    },
    onLog: (line) => {
      if (!line.includes('"level":"info"') && !line.includes('"level":"warn"')) errors.push(line);
    },
  });
  const url = workers.url[NAME];
  const operator = { authorization: `Bearer ${workers.operatorToken}`, "content-type": "application/json" };
  const operate = async (method: string, path: string, body?: object, expect = 200) =>
    JSON.parse(
      await call({
        url: `${url}/operator${path}`,
        method,
        headers: operator,
        body: body && JSON.stringify(body),
        expect,
      }),
    );

  const query = openStore(workers.url.store);

  async function makeClient(websiteId: string, settings: object): Promise<SoakClient> {
    await operate("PUT", `/websites/${websiteId}`, { name: websiteId, ...settings });
    const path = `/websites/${websiteId}/clients`;
    const { clientId, clientSecret } = await operate("POST", path, { callbackUrl: receiver.url }, 201);
    await call({
      url: `${url}/operator/websites/${websiteId}/subscribers?everyone=subscribed`,
      method: "POST",
      headers: { ...operator, "content-type": "text/csv" },
      body: subscribers(),
      expect: 200,
    });
    return { websiteId, clientId, headers: headersOf(clientId, clientSecret) };
  }

  const sandbox = await makeClient("soak", { carrier: "sandbox" });
  const gateway = await makeClient("soak-gateway", { carrier: "kannel", sender: SENDER, duplicateWindowHours: 1 });
  const close = async () => {
    await carrier.close();
    await receiver.close();
    await workers.close();
  };
  /** The texts that the carrier has taken since the last call. */
  const takenTexts = () => taken.splice(0);
  return { url, workers, name: NAME, operate, query, sandbox, gateway, takenTexts, receiver, errors, close };
}

export type Place = Awaited<ReturnType<typeof makePlace>>;

export function headersOf(clientId: string, clientSecret: string): Record<string, string> {
  return { "x-client-id": clientId, "x-client-secret": clientSecret, "content-type": "application/json" };
}

function subscribers(): string {
  const plain = Array.from({ length: NUMBERS }, (_, index) => `${numberAt(index)},${addressAt(index)}`);
  const special = [...SPECIAL_NUMBERS, LATER_NUMBER].map((phone) => `${phone},`);
  return ["phone_numbers,email", ...plain, ...special].join("\n");
}

export function addressAt(index: number): string {
  return index < ADDRESSES ? `person-${index}@example.com` : "";
}
