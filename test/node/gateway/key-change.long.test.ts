/** The webhook key of Kannel changes as docs/carriers.md says, on a real gateway with texts under way: no receipt and no STOP is lost. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
const WEBSITE = "/websites/gateway";
const [OLD, NEW] = ["the-key-before", "the-key-after"];
/** The SMSC gives the receipts of these numbers late. */
const [LATE, LATER] = ["+12125550011", "+13125550011"];
const [ADA, BOB] = ["+12125550100", "+12125550101"];

const installed = kannelInstalled();
if (!installed) console.warn(`SKIPPED: the change of Kannel's key. To run it: ${KANNEL_INSTALL_HINT}`);

describe.skipIf(!installed)("while the webhook key changes", () => {
  let smsc: SmscSimulator;
  let kannel: Kannel;
  let folder: Folder;
  let service: Run;
  let receiver: Receiver;
  let client: Client;
  let port: number;
  let url: string;

  const start = (keys: Record<string, string>) => {
    const vars = {
      PUBLIC_ORIGIN: url,
      KANNEL_SENDSMS_URL: kannel.sendSmsUrl,
      KANNEL_USERNAME: kannel.username,
      KANNEL_PASSWORD: kannel.password,
      ...keys,
    };
    return runStart(
      folder,
      port,
      Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    );
  };

  async function end(run: Run | undefined): Promise<void> {
    run?.child.kill("SIGTERM");
    await run?.exited;
  }

  beforeAll(async () => {
    port = await findFreePort();
    url = `http://127.0.0.1:${port}`;
    smsc = await startSmscSimulator({ receiptDelayMs: 100 });
    kannel = await startKannel({ smscPort: smsc.port, inboundUrl: inboundUrlOf(url, OLD), store: true });
    receiver = await startReceiver();
    folder = makeFolder();
    service = await start({ KANNEL_WEBHOOK_KEY: OLD });
    await operate(url, "PUT", WEBSITE, { name: "Brand", carrier: "kannel", sender: SENDER });
    const people = ["phone_numbers", LATE, LATER, ADA, BOB].join("\n");
    await operate(url, "POST", `${WEBSITE}/subscribers?everyone=subscribed`, people);
    client = { url, ...(await operate(url, "POST", `${WEBSITE}/clients`, { callbackUrl: receiver.url })) };
  });

  afterAll(async () => {
    await end(service);
    await kannel?.stop();
    await smsc?.close();
    await receiver?.close();
    folder?.remove();
  });

  const stop = (phone: string) => smsc.sendInbound({ from: phone.slice(1), to: SENDER.slice(1), text: "STOP" });
  const untilStopped = (phone: string) =>
    waitFor(`the STOP of ${phone}`, async () => !(await operate(url, "GET", `${WEBSITE}/people/${phone}`)).subscribed);

  it("a receipt and a STOP with the key before it count, though they come while Textgate restarts", async () => {
    const { messageId } = await send(client, { phone: LATE, text: "before" });
    await waitFor("the SMSC to have it", () => smsc.submits.some(({ to }) => `+${to}` === LATE));
    await end(service);
    expect(await stop(ADA)).toBe(true);
    service = await start({ KANNEL_WEBHOOK_KEY: NEW, KANNEL_PREVIOUS_WEBHOOK_KEY: OLD });
    await untilStatus(url, messageId, "DELIVERED");
    await untilStopped(ADA);
  });

  it("then Kannel gets the new key: its texts count, and receipts of texts before its restart", async () => {
    const { messageId } = await send(client, { phone: LATER, text: "after" });
    await waitFor("the SMSC to have it", () => smsc.submits.some(({ to }) => `+${to}` === LATER));
    const file = join(kannel.dir, "kannel.conf");
    const config = readFileSync(file, "utf8");
    writeFileSync(file, config.replace(`key=${OLD}`, `key=${NEW}`));
    expect(readFileSync(file, "utf8")).not.toContain(OLD);
    await kannel.restart();
    await untilStatus(url, messageId, "DELIVERED");
    expect(await stop(BOB)).toBe(true);
    await untilStopped(BOB);
  });

  it("then the key before it goes: what comes with it is refused, and the new one counts", async () => {
    await end(service);
    service = await start({ KANNEL_WEBHOOK_KEY: NEW });
    const hand = async (key: string) => {
      const query = new URLSearchParams({ from: ADA, to: SENDER, text: "START", id: key });
      return (await fetch(`${url}/carriers/kannel/inbound?key=${key}&${query}`)).status;
    };
    expect([await hand(OLD), await hand(NEW)]).toEqual([403, 200]);
  });

  it("a text of Cyrillic letters around an emoji is two parts for Kannel, and DELIVERED once", async () => {
    const phone = "+12125550177";
    await operate(url, "POST", `${WEBSITE}/subscribers?everyone=subscribed`, `phone_numbers\n${phone}`);
    const text = `${"ж".repeat(66)}😀${"ж".repeat(66)}`;
    const { messageId } = await send(client, { phone, text });
    await untilStatus(url, messageId, "DELIVERED");
    const parts = smsc.submits.filter(({ to }) => `+${to}` === phone);
    expect(parts.map(({ part, wantsReceipt }) => [part?.number, part?.total, wantsReceipt])).toEqual([
      [1, 2, true],
      [2, 2, false],
    ]);
    const posted = () => receiver.received.map(({ headers }) => headers["webhook-id"]);
    await waitFor("the callback", () => posted().includes(`${messageId}_DELIVERED`));
    expect(posted().filter((id) => id === `${messageId}_DELIVERED`)).toHaveLength(1);
    // Textgate counts an emoji whole, so it counts a part more than Kannel sends.
    expect((await operate(url, "GET", `/messages/${messageId}`)).segments).toBe(3);
  });
});
