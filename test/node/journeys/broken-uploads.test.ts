import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { waitFor } from "../harness/processes.ts";
import { untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";
import {
  breakOff,
  CASES,
  ENDPOINTS,
  isServed,
  JSON_TYPE,
  keepConnection,
  makeUploaders,
  PHONE,
  READING,
  type Uploaders,
} from "./broken-uploads-stage.ts";

let service: SharedService;
let uploaders: Uploaders;

beforeAll(async () => {
  service = await sharedService();
  uploaders = await makeUploaders(service.url);
});

describe("an upload that breaks off", () => {
  test.concurrent.each(CASES)(
    "by $way within $length is the client's own loss, at each endpoint",
    async ({ way, length }) => {
      const answers = await Promise.all(ENDPOINTS.map((endpoint) => breakOff(uploaders, endpoint, way, length)));
      for (const [index, answer] of answers.entries()) {
        const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
        const own = ENDPOINTS[index]?.answer;
        const end = way === "a half-close" ? [400] : [];
        const possible = own ? [end, [own, ...end]] : [end];
        expect(possible).toContainEqual(statuses);
      }
      await untilStatus(service.url, await isServed(uploaders), "SENDING");
    },
  );

  test("is in the log, and no error", async () => {
    await Promise.all(READING.map((endpoint) => breakOff(uploaders, endpoint, "a reset", "a Content-Length")));
    for (const { route } of READING) {
      const line = new RegExp(`"route":"${route}",.*"code":40800,`);
      await waitFor(`${route} in the log`, () => line.test(service.output()));
    }
    const errors = service
      .output()
      .split("\n")
      .filter((line) => line.includes('"level":"error"'));
    expect(errors.filter((line) => READING.some(({ route }) => line.includes(`"${route}"`)))).toEqual([]);
  });
});

describe("a connection is kept", () => {
  const connection = keepConnection();

  afterAll(() => connection.end());

  test.each([
    [401, "a body that is not read", { clientId: "0".repeat(32) }, "/text/message/send", ""],
    [413, "a body that is too large", {}, "/text/message/send", ""],
    [400, "a body that is read in part", {}, "/text/bulk/message/send", '{"messages":[no'],
  ])("after a %i to %s", async (status, _, client, path, begin) => {
    const { clientId, clientSecret } = { ...uploaders.breaker, ...client };
    const headers = { "content-type": JSON_TYPE, "x-client-id": clientId, "x-client-secret": clientSecret };
    await connection.ask(service.url, "GET", "/health");
    expect(await connection.ask(service.url, "POST", path, headers, begin + "x".repeat(3_000_000))).toEqual([
      status,
      true,
    ]);
    expect(await connection.ask(service.url, "GET", "/health")).toEqual([200, true]);
  });
});

describe("a request in a form that few clients use", () => {
  /** The target as it stands in the request line. @returns the status, and the JSON of the body */
  async function ask(method: string, target: string) {
    const request = httpRequest(service.url, { method, path: target, agent: false }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return [response.statusCode, JSON.parse(Buffer.concat(await response.toArray()).toString())];
  }

  test.each([
    ["http://textgate.test/", "http://textgate.test/docs"],
    ["HTTP://user@TEXTGATE.test:8080", "http://textgate.test:8080/docs"],
    ["http://textgate.test?to=nobody", "http://textgate.test/docs"],
  ])("%s names its host, as for a proxy", async (target, docs) => {
    expect(await ask("GET", target)).toEqual([200, expect.objectContaining({ docs })]);
  });

  test("a path is passed on as it is", async () => {
    expect(await ask("GET", "http://textgate.test/health")).toEqual([200, expect.anything()]);
    expect(await ask("GET", "http://textgate.test//health/../x")).toEqual([404, expect.anything()]);
    expect(await ask("OPTIONS", "*")).toEqual([405, expect.objectContaining({ code: 40500 })]);
  });

  test("Expect: 100-continue is answered before any of the body is sent", async () => {
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify({ phone_numbers: [PHONE], padding: "x".repeat(1_500_000) });
    const client = [`X-Client-ID: ${uploaders.other.clientId}`, `X-Client-Secret: ${uploaders.other.clientSecret}`];
    const head = [
      "POST /text/subscription/status HTTP/1.1",
      `Host: ${hostname}`,
      `Content-Type: ${JSON_TYPE}`,
      ...client,
    ];
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding("latin1");
    let answer = "";
    socket.on("data", (text: string) => {
      answer += text;
    });
    socket.write([...head, `Content-Length: ${body.length}`, "Expect: 100-continue", "\r\n"].join("\r\n"));
    await waitFor("an answer to the header", () => answer !== "");
    expect(answer).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(body);
    await waitFor("the answer to the body", () => answer.includes("phoneNumberStatuses"));
    expect(answer).toMatch(/Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    socket.destroy();
  });
});
