import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startProgress } from "../../../scripts/operator/import/progress.ts";
import { operator } from "../harness/operator.ts";
import { startReceiver } from "../harness/receiver.ts";

const ID = "0193f5a0-0000-4000-8000-000000000001";
const ROWS = 50_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "import-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
});

function fileOf(rows: string[]): string {
  const file = join(folder, "list.csv");
  writeFileSync(file, `phone_numbers,email\n${rows.join("\n")}\n`);
  return file;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+1212${5_000_000 + index},`);

const answer = (counts: object) => ({
  importId: ID,
  columns: { phone: "phone_numbers", email: "email", subscribed: null },
  ignoredColumns: [],
  ...{ imported: 0, newSubscribed: 0, newOptedOut: 0, becameSubscribed: 0, becameOptedOut: 0, newAddress: 0 },
  ...{ unchanged: 0, keptUnsubscribed: 0, unreadableOptOuts: 0, invalidPhoneNumbers: [] },
  ...counts,
});

/** A service that answers the requests one after the other. */
function startService(answers: [status: number, body: object][]) {
  const left = [...answers];
  return startReceiver((response) => {
    const [status, body] = left.shift() ?? [500, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

describe("a large file", () => {
  test("goes in requests of 50,000 rows, as one import, with the sum of their figures and the lines of the file", async () => {
    const cell = { line: 2, column: "email", value: "x", message: "must be an e-mail address" };
    const service = await startService([
      [200, answer({ imported: ROWS, newSubscribed: ROWS })],
      [200, answer({ imported: 3, unchanged: 3, invalidEmails: ["x"], invalidCells: [cell] })],
    ]);
    try {
      const file = fileOf([...numbers(ROWS), "+12125550100,x", "+12125550101,", "+12125550102,"]);
      const { code, output } = await operator(service.url, [
        "import-subscribers",
        "brand",
        file,
        "--everyone",
        "subscribed",
      ]);
      const path = "/operator/websites/brand/subscribers";
      expect(service.received.map((it) => it.path)).toEqual([
        `${path}?everyone=subscribed`,
        `${path}?everyone=subscribed&importId=${ID}`,
      ]);
      expect(service.received[1]?.body).toBe("phone_numbers,email\n+12125550100,x\n+12125550101,\n+12125550102,\n");
      expect([code, output]).toEqual([
        0,
        `Columns read: phone_numbers; email: email; subscribed: none, and everyone is; ignored: none
Imported: 50003
  Subscribed: 50000 (50000 new, 0 opted out before)
  Opted out: 0 (0 new, 0 subscribed before)
  New address: 0
  Unchanged: 3
Not e-mail addresses, their numbers imported without: 1
  line ${ROWS + 2}: x: must be an e-mail address
To undo it: undo-import ${ID}
`,
      ]);
    } finally {
      await service.close();
    }
  });

  test("that breaks off says what is stored, how to take it back, and how to go on", async () => {
    const message = `subscribed: must be true or false; line 3 has "maybe". Stored before that: the first 5000 rows of this file`;
    const error = { code: 40001, message, details: [], import: { importId: ID, storedRows: 5000 }, requestId: "r" };
    const service = await startService([
      [200, answer({ imported: ROWS, newSubscribed: ROWS })],
      [400, error],
    ]);
    try {
      const file = fileOf(numbers(ROWS + 3));
      const { code, output } = await operator(service.url, [
        ...["import-subscribers", "brand", file, "--resubscribe", "--everyone", "subscribed"],
      ]);
      expect([code, output]).toEqual([
        1,
        `40001 subscribed: must be true or false; line ${ROWS + 3} has "maybe".
Stored: 55000 rows of the file, as the import ${ID}.
To take them back: npm run operator -- undo-import ${ID}
To go on, which leaves what is stored as it is: npm run operator -- import-subscribers brand ${file} --import ${ID} --resubscribe --everyone subscribed
`,
      ]);
    } finally {
      await service.close();
    }
  });

  test("goes on with the import that is named", async () => {
    const service = await startService([[200, answer({ imported: 1, newSubscribed: 1 })]]);
    try {
      await operator(service.url, ["import-subscribers", "brand", fileOf(numbers(1)), "--import", ID]);
      expect(service.received[0]?.path).toBe(`/operator/websites/brand/subscribers?importId=${ID}`);
    } finally {
      await service.close();
    }
  });
});

describe("the progress", () => {
  const shown = (isTTY: boolean, size?: number) => {
    const written: string[] = [];
    const write = (text: string) => written.push(text) > 0;
    const progress = startProgress(size, { isTTY, write: write as NodeJS.WriteStream["write"] });
    progress.show(25, 50_000);
    progress.end();
    return written;
  };

  test("is none where the output is piped", () => {
    expect(shown(false, 100)).toEqual([]);
  });

  test("is a bar, or the number of rows where the size is unknown, and leaves the line empty", () => {
    expect(shown(true, 100)).toEqual([`\r[########${" ".repeat(22)}] 25 %, 50,000 rows`, "\r\u001b[K"]);
    expect(shown(true)).toEqual(["\r50,000 rows", "\r\u001b[K"]);
  });
});
