/** What the operator's shell shows of an endpoint that is not there: of a website of the sandbox, and of any other. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operator as call, operatorProcess } from "../harness/operator.ts";
import { waitFor } from "../harness/processes.ts";
import { makeClient, operate, type Service, send, startService } from "../harness/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service?.stop());

describe("failing callbacks", () => {
  const NOWHERE = "http://127.0.0.1:9/";
  const about = (clientId: string) => `website \\S+, client ${clientId}, 127.0.0.1:9, since \\S+, unreachable: .+`;

  /** Until so many callbacks to an endpoint that is not there have failed. */
  async function haveFailed(url: string, clientId: string, count: number): Promise<void> {
    await waitFor("its callbacks to fail", async () => {
      const { callbacks } = await operate(url, "GET", "/health");
      const isShown = callbacks.failingEndpoints.some((it: { clientId: string }) => it.clientId === clientId);
      return isShown && callbacks.lastHour.unreachable >= count && callbacks.due.count === 0;
    });
  }

  test("of an endpoint that the sandbox calls are shown, and are no problem", async () => {
    const client = await makeClient(service.url, NOWHERE, ["+12125550150", "+12125550002"]);
    for (const phone of ["+12125550150", "+12125550150", "+12125550002"]) await send(client, { phone });
    await haveFailed(service.url, client.clientId, 6);
    const { code, output } = await call(service.url, ["health"]);
    expect(code, output).toBe(0);
    expect(output).toMatch(
      /^at +2\S+Z\nproblems +none\ndatabase +answered in \d+ ms\nsweep +ended \d+ s ago\nqueue of messages +0\n/,
    );
    expect(output).toMatch(new RegExp(`^ +endpoint failing \\(sandbox\\) +${about(client.clientId)}$`, "m"));
    expect(output).toMatch(/^callbacks, last hour +unreachable \d+$/m);
    expect(output).toMatch(/^CARRIER +WAITING .*\nsandbox +0 .* accepted \d+, delivered \d+, undelivered \d+$/m);
    expect(output).toMatch(
      /^SENDER +CARRIER +LAST 5 MIN +LAST HOUR +MOST FAIL FOR\n.* delivered \d+, undelivered \d+ +UNDELIVERED × \d+ of \d+$/m,
    );
  });

  test("are shown: callbacks to an endpoint that is not there, and nothing else", async () => {
    const kannel = { KANNEL_USERNAME: "textgate", KANNEL_PASSWORD: "password", KANNEL_WEBHOOK_KEY: "key" };
    const other = await startService((url) => ({
      ...{ ...kannel, PUBLIC_ORIGIN: url, KANNEL_SENDSMS_URL: "http://127.0.0.1:9/cgi-bin/sendsms" },
    }));
    try {
      const client = await makeClient(other.url, NOWHERE, [], { carrier: "kannel", sender: "Brand" });
      // Nobody has subscribed the number, so each text ends at once, and calls back.
      for (let text = 0; text < 4; text++) await send(client, { phone: "+12125550150" });
      await haveFailed(other.url, client.clientId, 4);
      const run = (args: string[]) => call(other.url, args);
      const { code, output } = await run(["health"]);
      expect(code, output).toBe(4);
      expect((await operatorProcess(other.url, ["health"])).code).toBe(4);
      expect(output).toMatch(new RegExp(`^ +endpoint-failing +${about(client.clientId)}$`, "m"));
      expect(output).toMatch(/^at +2\S+Z\nproblems +callbacks-failing, endpoint-failing\n/);
      expect(output).toMatch(/^CARRIER +WAITING .*\nkannel +0 .* none +none$/m);
      expect(output).not.toMatch(/endpoint failing|^SENDER/m);
      const watched = await run(["watch", "--looks", "2", "--seconds", "0", "--json"]);
      expect(watched.code).toBe(4);
      const looks = watched.output.split("\n").filter(Boolean);
      expect(looks.map((look) => JSON.parse(look))).toMatchObject(
        Array(2).fill({ problems: ["callbacks-failing", "endpoint-failing"], deadJobs: { count: 0 } }),
      );
      expect((await run(["watch", "--looks", "1"])).output).toMatch(/^at +2/);
      expect((await run(["metrics"])).output).toContain('textgate_problem{problem="callbacks-failing"} 1');
    } finally {
      await other.stop();
    }
  });
});
