/** "By symptom" in docs/runbook.md: its commands are run as they stand there, and print what it says. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accept, type Conduct, CountingCarrier, RECEIPT, type Submission } from "../harness/fake-kannel.ts";
import { operator } from "../harness/operator.ts";
import { listFamily, waitFor } from "../harness/processes.ts";
import { type Client, operate, type Service, send, startService, untilStatus } from "../harness/service.ts";
import { COMMAND, symptoms } from "./runbook-lines.ts";

const OURS = "+12125550199";
const KEY = "webhook-key";
const PEOPLE = [100, 101, 102, 103, 104].map((number) => `+12125550${number}`);
const [ADA, BOB, CY, UNKNOWN, DEE] = PEOPLE as [string, string, string, string, string];
const HANGS = "This text hangs";
/** A network blocks it. */
const BLOCKED = "This text is blocked";

let carrier: CountingCarrier;
let service: Service;
let client: Client;

/** A gateway that delivers, breaks off after a text to one number, never answers one text, and is blocked with another. */
function conduct({ phone, text }: Submission): Conduct {
  const receipts = [RECEIPT.sending, RECEIPT.delivered].map((type) => ({ type, afterMilliseconds: 0 }));
  if (text === HANGS) return { takes: true, answer: () => new Promise(() => {}), receipts: [] };
  if (text === BLOCKED)
    return { takes: true, answer: accept, receipts: [{ type: RECEIPT.failed, afterMilliseconds: 0 }] };
  return phone === UNKNOWN
    ? { takes: true, answer: (response) => void response.writeHead(500).end(), receipts: [] }
    : { takes: true, answer: accept, receipts };
}

beforeAll(async () => {
  carrier = new CountingCarrier(conduct);
  await carrier.open();
  service = await startService((url) => ({
    ...{ PUBLIC_ORIGIN: url, KANNEL_SENDSMS_URL: carrier.url, KANNEL_WEBHOOK_KEY: KEY },
    ...{ KANNEL_USERNAME: "textgate", KANNEL_PASSWORD: "password" },
  }));
  await operate(service.url, "PUT", "/websites/brand", { name: "Brand", carrier: "kannel", sender: OURS });
  await operate(
    service.url,
    "POST",
    "/websites/brand/subscribers?everyone=subscribed",
    ["phone_numbers", ...PEOPLE].join("\n"),
  );
  client = await makeClient();
});

afterAll(async () => {
  await service?.stop();
  await carrier?.close();
});

const makeClient = async (): Promise<Client> => ({
  url: service.url,
  ...(await operate(service.url, "POST", "/websites/brand/clients", {})),
});

async function receive(from: string, to: string, text: string): Promise<void> {
  const query = new URLSearchParams({ key: KEY, from, to, text, id: `${from} ${text}` });
  const answer = await fetch(`${service.url}/carriers/kannel/inbound?${query}`);
  expect(answer.status).toBe(200);
}

async function sendUntil(status: string, fields: object): Promise<string> {
  const { messageId } = await send(client, fields);
  await untilStatus(service.url, messageId, status);
  return messageId;
}

const isWaiting = (messageId: string) =>
  waitFor(`${messageId} to wait for a retry`, async () => {
    const { retryAt } = await operate(service.url, "GET", `/messages/${messageId}`);
    return retryAt !== null;
  });

/** What has happened before an operator hears of it. */
interface Story {
  /** @returns what stands in the place of `<…>` */
  begin(): Promise<Record<string, string>>;
  /** After the line with this command, or in the place of the line that begins so. */
  after?: Record<string, (output: string) => Promise<void>>;
}

const STORIES: Record<string, Story> = {
  "Clients get 401": {
    begin: async () => {
      const { clientId } = await makeClient();
      await operate(service.url, "POST", `/clients/${clientId}/rotate`, { graceSeconds: 0 });
      return { clientId };
    },
    after: {
      "rotate-client": async (output) => {
        const [, clientSecret = ""] = /^clientSecret +(\S+)$/m.exec(output) ?? [];
        const { changes } = await operate(service.url, "GET", "/audit?by=OPERATOR_TOKEN").then((page) => ({
          changes: page.entries as { action: string; clientId: string }[],
        }));
        const clientId = changes.find(({ action }) => action === "rotate-client")?.clientId ?? "";
        expect(await send({ ...client, clientId, clientSecret }, { phone: CY })).toMatchObject({ status: 200 });
      },
    },
  },
  "A text after STOP": {
    begin: async () => {
      const messageId = await sendUntil("DELIVERED", { phone: ADA });
      await receive(ADA, OURS, "STOP");
      await receive(BOB, "+12125550177", "STOP");
      await receive(DEE, OURS, "please stop texting me");
      const file = join(service.folder.folder, "opt-outs.csv");
      writeFileSync(file, `phone_numbers,subscribed\n${BOB},no\n`);
      return { messageId, file };
    },
  },
  "Where is my message": {
    begin: async () => {
      const from = new Date().toISOString();
      const messageId = await sendUntil("DELIVERED", { phone: CY });
      await sendUntil("SENDING", { phone: UNKNOWN });
      return { from, until: new Date(Date.now() + 1000).toISOString(), messageId };
    },
  },
  "Stop a campaign or a client": {
    begin: async () => ({}),
    after: {
      hold: async () => {
        for (const phone of [CY, DEE]) await send(client, { phone, sendPurpose: "spring-sale" });
      },
      release: async () => {
        await sendUntil("DELIVERED", { phone: CY, sendPurpose: "spring-sale" });
      },
    },
  },
  "A wrong file imported": {
    begin: async () => {
      const wrong = ["phone_numbers", "+12125550120", "+12125550121"].join("\n");
      const { importId } = await operate(service.url, "POST", "/websites/brand/subscribers?everyone=subscribed", wrong);
      await receive("+12125550121", OURS, "STOP");
      const file = join(service.folder.folder, "right.csv");
      writeFileSync(file, "phone_numbers,subscribed\n+12125550122,true\n");
      return { importId, file };
    },
  },
  "A token leaked": {
    begin: async () => {
      const { token } = await operate(service.url, "POST", "/tokens", { name: "ada" });
      const mallory = { OPERATOR_TOKEN: token };
      for (const args of [
        ["create-token", "backup"],
        ["put-website", "leak", "--name", "Mallory's", "--carrier", "sandbox"],
      ])
        expect(await operator(service.url, args, mallory)).toMatchObject({ code: 0 });
      await operate(service.url, "POST", "/tokens", { name: "ada" });
      return {};
    },
    after: { "Search the log": async () => {} },
  },
  "The carrier is down": {
    begin: async () => {
      await carrier.goAway();
      const sent = await Promise.all([CY, DEE, CY].map((phone) => send(client, { phone })));
      for (const { messageId } of sent) await isWaiting(messageId);
      return { messageId: sent[0]?.messageId ?? "" };
    },
    after: {
      "Repair the gateway": () => carrier.open(),
      "try-carrier": async () => {
        await waitFor("all to have gone", async () => {
          const { messages } = await operate(service.url, "GET", "/messages?website=brand&status=PENDING_TO_SEND");
          return messages.length === 0;
        });
      },
    },
  },
  "Texts do not arrive": {
    begin: async () => {
      const sent = await Promise.all(Array.from({ length: 30 }, () => send(client, { phone: DEE, text: BLOCKED })));
      for (const { messageId } of sent) await untilStatus(service.url, messageId, "FAILED_TO_DELIVERY");
      return { messageId: sent[0]?.messageId ?? "" };
    },
    after: {
      "Register the sender": async () => {},
      release: async () => {
        await sendUntil("DELIVERED", { phone: CY });
      },
    },
  },
  "The service was killed or restarted": {
    begin: async () => {
      const { messageId } = await send(client, { phone: DEE, text: HANGS });
      await waitFor("its submission", () => carrier.askedById.has(messageId));
      const [workerd] = listFamily(service.pid).filter(({ command }) => command.includes("workerd serve"));
      process.kill(workerd?.pid ?? 0, "SIGKILL");
      await waitFor("workerd to be started again", () => service.output().includes("was started again."));
      return { messageId };
    },
  },
};

const fill = (text: string, values: Record<string, string>) =>
  text.replaceAll(/<(\w+)>/g, (_, name: string) => values[name] ?? `<${name}>: the story does not say`);

/** Three dots stand for anything. */
const toPattern = (text: string) =>
  new RegExp(
    text
      .split("…")
      .map((part) => part.replaceAll(/[^\w\s]/g, "\\$&"))
      .join(".*"),
  );

test("each symptom has a story", () => {
  expect(symptoms.map(({ name }) => name)).toEqual(Object.keys(STORIES));
});

describe("the runbook, by symptom", () => {
  test.each(symptoms)("$name", async ({ name, lines }) => {
    const { begin, after = {} } = STORIES[name] as Story;
    const values = await begin();
    for (const { run, sees } of lines) {
      const args = COMMAND.exec(run)?.[1]?.split(" ");
      const command = args?.map((arg) => fill(arg, values));
      const { code, output } = command ? await operator(service.url, command) : { code: 0, output: "" };
      const expected = args?.[0] === "health" ? [0, 4] : [0];
      expect(expected, `${run}\n${output}`).toContain(code);
      for (const text of sees) expect(output, run).toMatch(toPattern(fill(text, values)));
      const [, next] =
        Object.entries(after).find(([start]) => (args ? args[0] === start : run.startsWith(start))) ?? [];
      if (!args) expect(next, `nobody tries: ${run}`).toBeDefined();
      await next?.(output);
    }
  });
});
