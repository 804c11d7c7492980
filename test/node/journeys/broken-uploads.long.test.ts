import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listFamily, stillRunning } from "../harness/processes.ts";
import { type Service, startService } from "../harness/service.ts";
import { PUBLIC_ORIGIN, TWILIO } from "../harness/shared-service.ts";
import {
  breakOff,
  CASES,
  ENDPOINTS,
  isServed,
  JSON_TYPE,
  keepConnection,
  makeUploaders,
  SUBSCRIBERS,
  type Uploaders,
} from "./broken-uploads-stage.ts";

let service: Service;
let uploaders: Uploaders;

beforeAll(async () => {
  service = await startService({ ...TWILIO, PUBLIC_ORIGIN });
  uploaders = await makeUploaders(service.url);
});

afterAll(() => service?.stop());

describe("a connection is kept", () => {
  const connection = keepConnection();

  afterAll(() => connection.end());

  test("while workerd is too busy to answer, for longer than it waits for another request", async () => {
    const workerd = listFamily(service.pid).find(({ command }) => command.includes("workerd serve"))?.pid ?? 0;
    await connection.ask(service.url, "GET", "/health");
    process.kill(workerd, "SIGSTOP");
    const asked = connection.ask(service.url, "GET", "/health");
    await wait(6000);
    process.kill(workerd, "SIGCONT");
    expect(await asked).toEqual([200, true]);
  });
});

describe("everybody else is served", () => {
  function bulkBody(count: number): string {
    const phones = Array.from({ length: count }, (_, index) => SUBSCRIBERS[index] ?? `+1646555${1000 + index}`);
    return JSON.stringify({
      messages: phones.map((phone) => ({ phone, text: "hello", callbackData: "", sendPurpose: "journey" })),
    });
  }

  async function sendBulk(): Promise<void> {
    const { other } = uploaders;
    const response = await fetch(`${service.url}/text/bulk/message/send`, {
      method: "POST",
      headers: { "content-type": JSON_TYPE, "x-client-id": other.clientId, "x-client-secret": other.clientSecret },
      body: bulkBody(5000),
    });
    expect(response.status).toBe(200);
    const { successSent } = (await response.json()) as { successSent: unknown[] };
    expect(successSent).toHaveLength(5000);
  }

  test("while uploads break off at each endpoint, bulk requests half sent among them", async () => {
    const family = listFamily(service.pid);
    const half = bulkBody(700).slice(0, -2);
    const breakAtEach = async (runner: number) => {
      for (const [index, endpoint] of ENDPOINTS.entries()) {
        const { way, length } = CASES[(index + runner) % CASES.length] as (typeof CASES)[number];
        await breakOff(uploaders, endpoint, way, length, endpoint.path.includes("bulk") ? half : undefined);
        await isServed(uploaders);
      }
    };
    const sendTwice = async () => {
      await sendBulk();
      await sendBulk();
    };
    await Promise.all([sendTwice(), ...Array.from(CASES, (_, runner) => breakAtEach(runner))]);
    expect(stillRunning(family)).toEqual(family);
    expect(service.output()).not.toMatch(/"level":"error"|ended|uncaught/i);
  }, 120_000);
});
