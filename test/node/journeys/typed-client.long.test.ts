import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { makeClient } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

const FOLDER = join(import.meta.dirname, "../typed-client");
const TSC = join(import.meta.dirname, "../../../node_modules/typescript/bin/tsc");

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

/** In the folder of the client: at the root, the generator would take the rules of redocly.yaml for its own. @throws Error with what it printed, when it fails */
async function runNode(...command: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: FOLDER }).catch((error) => {
    throw new Error(`${command[0]}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

it("a client whose types are made of the document is compiled, and each of its calls works", async () => {
  await runNode("node_modules/openapi-typescript/bin/cli.js", `${service.url}/openapi.json`, "--output", "api.d.ts");
  await runNode(TSC, "-p", FOLDER);
  const { clientId, clientSecret } = await makeClient(service.url, "http://127.0.0.1:9/", ["+12125550100,,true"]);
  const output = await runNode("client.ts", service.url, clientId, clientSecret);
  expect(JSON.parse(output)).toEqual({
    isSame: true,
    status: expect.stringMatching(/^(PENDING_TO_SEND|SENDING|DELIVERED)$/),
    reason: null,
    listed: [true],
    feed: [true, 0, false],
    bulk: [[0, 1], [2]],
    refusedNumbers: [],
    subscribed: [
      ["+12125550100", true],
      ["+12125550199", false],
    ],
    code: 40001,
    field: "phone",
  });
});
