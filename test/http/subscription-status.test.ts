import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distinctPhones } from "../../src/domain/people/number-list/distinct-phones.ts";
import { toE164 } from "../../src/domain/people/phone.ts";
import { countingDatabase } from "../counting-database.ts";
import { ask, base64, client, PATH, prepare, world } from "./asking-statuses.ts";

prepare();

async function fault(body: unknown): Promise<string> {
  const answer = await world.post(PATH, client, body);
  expect(answer.status).toBe(400);
  const { code, details } = (await answer.json()) as { code: number; details: { field: string; message: string }[] };
  expect(code).toBe(40001);
  return details.map(({ field, message }) => `${field}: ${message}`).join(" | ");
}

const statuses = (...entries: [string, boolean][]) =>
  entries.map(([phoneNumber, subscriptionStatus]) => ({ phoneNumber, subscriptionStatus }));

describe("the subscription status of numbers", () => {
  it("is told of each distinct number once, in the order given", async () => {
    const phone_numbers = [
      ...["+12125550102", "+12125550100", "+12125559999", " +12125550100 ", "+12125550101"],
      ...["\u202a+12125550100\u202c", "\u200b+12125550101"],
    ];
    expect(await ask({ phone_numbers })).toEqual({
      phoneNumberStatuses: statuses(
        ["+12125550102", false],
        ["+12125550100", true],
        ["+12125559999", false],
        ["+12125550101", true],
      ),
      invalidPhoneNumbers: [],
    });
  });

  it("lists what is no number as it was given, trimmed, and guesses nothing", async () => {
    const phone_numbers = ["1.2E+10", " 12125550100", "", "+12125550100", "abc", "abc ", '"><script>'];
    expect(await ask({ phone_numbers })).toEqual({
      phoneNumberStatuses: statuses(["+12125550100", true]),
      invalidPhoneNumbers: ["1.2E+10", "12125550100", "", "abc", '"><script>'],
    });
  });

  it("takes both lists, the array first", async () => {
    const csv_file = base64("phone_numbers\n+12125550100\n+12125550101\n");
    expect((await ask({ phone_numbers: ["+12125550101"], csv_file })).phoneNumberStatuses).toEqual(
      statuses(["+12125550101", true], ["+12125550100", true]),
    );
  });

  it.each([
    ["LF", "phone_numbers\n+12125550100\n"],
    ["CRLF", "phone_numbers\r\n+12125550100\r\n"],
    ["CR", "phone_numbers\r+12125550100\r"],
    ["a byte-order mark", "\ufeffphone_numbers\n+12125550100"],
    ["quotes", '"phone_numbers"\n"+12125550100"\n'],
    ["extra columns", 'name,phone_numbers,note\n"Ada, L",+12125550100,"a ""b"""\n'],
    ["blank lines", "\n\nphone_numbers\n\n+12125550100\n\n\n"],
    ["spaces around", " phone_numbers \n +12125550100 \n"],
    ["a header in capitals", "Name,PHONE_NUMBERS\nAda,+12125550100\n"],
    ["semicolons", "Name, first;Phone_Numbers\nAda;+12125550100\n"],
    ["semicolons and quotes", '"Name";"phone_numbers"\n"Ada; L";"+12125550100"\n'],
    ["rows that are too short", "name,phone_numbers\nAda,+12125550100\n"],
    ["tabs", "name\tphone_numbers\nAda, L\t+12125550100\n"],
    ["a line that names its separator", "sep=;\r\nname;phone_numbers\r\nAda;+12125550100\r\n"],
    ["such a line in quotes", '"sep=\t"\r\nname\tphone_numbers\r\nAda\t+12125550100\r\n'],
    ["such a line beside another separator in a name", 'sep=,\n"a;b",phone_numbers\nx;y,+12125550100\n'],
    ["a separator in a quoted name", '"Agent; desk";phone_numbers;phone\r\n"Desk; 4";+12125550100;+12125550102\r\n'],
    ["a comma in a quoted name", '"Agent, desk",phone_numbers,phone\n"Desk, 4",+12125550100,+12125550102\n'],
    ["a line break in a quoted name", 'phone_numbers;"Notes\n(internal)"\n+12125550100;x\n'],
    ["a line break in the first of two names", '"Notes\r\n""internal""";phone_numbers\r\nx;+12125550100\r\n'],
    ["rows of separators alone", 'phone_numbers,email\r\n+12125550100,ada@example.com\r\n,\r\n , \r\n"",""\r\n'],
    ["a first row of separators alone", ";;\nname;phone_numbers;\n;;\nAda;+12125550100;\n"],
    ["invisible characters", "\u200bphone_numbers\u00ad\n\u202a+12125550100\u202c\n\u2060\n"],
    ["invisible characters in quotes", '"\u202aphone_numbers"\n"\u200e+12125550100\u200b"\n"\u200b"\n'],
  ])("reads a CSV file with %s", async (_, csv) => {
    expect(await ask({ phone_numbers: [], csv_file: base64(csv) })).toEqual({
      phoneNumberStatuses: statuses(["+12125550100", true]),
      invalidPhoneNumbers: [],
    });
  });

  it("reads Base64 in either alphabet, with and without padding, in lines", async () => {
    const csv = "phone_numbers,note\n+12125550100,>>>???ÿ\n";
    const forms = [
      base64(csv),
      base64(csv).replaceAll("=", ""),
      new TextEncoder().encode(csv).toBase64({ alphabet: "base64url" }),
      base64(csv).replaceAll(/.{20}/g, "$&\r\n"),
    ];
    for (const csv_file of forms) {
      expect((await ask({ csv_file })).phoneNumberStatuses).toEqual(statuses(["+12125550100", true]));
    }
  });

  it.each([
    ["UTF-16LE, as Excel writes it", [0xff, 0xfe], 0],
    ["UTF-16BE", [0xfe, 0xff], 1],
  ])("reads a CSV file in %s", async (_, mark, first) => {
    const units = Array.from('phone_numbers\tnäme\r\n+12125550100\t"名\t"\r\n', (it) => it.charCodeAt(0));
    const bytes = units.flatMap((unit) => (first === 0 ? [unit & 0xff, unit >> 8] : [unit >> 8, unit & 0xff]));
    expect(await ask({ csv_file: Uint8Array.from([...mark, ...bytes]).toBase64() })).toEqual({
      phoneNumberStatuses: statuses(["+12125550100", true]),
      invalidPhoneNumbers: [],
    });
  });

  it("answers an empty file with empty lists", async () => {
    expect(await ask({ csv_file: base64("phone_numbers\n") })).toEqual({
      phoneNumberStatuses: [],
      invalidPhoneNumbers: [],
    });
  });
});

describe("a request that is refused", () => {
  it.each<[string, unknown, string]>([
    ["neither list", {}, "phone_numbers: either phone_numbers (a flat array of strings) or csv_file must be given"],
    ["empty lists", { phone_numbers: [], csv_file: "" }, "phone_numbers: either phone_numbers"],
    ["null and empty", { phone_numbers: null, csv_file: null }, "phone_numbers: either phone_numbers"],
    ["a nested object", { phone_numbers: { phone_numbers: ["+12125550100"] } }, "phone_numbers: must be a flat array"],
    ["a string", { phone_numbers: "+12125550100" }, "phone_numbers: must be a flat array"],
    ["broken Base64", { csv_file: "a*b" }, "csv_file: is not Base64"],
    ["a data URL", { csv_file: "data:text/csv;base64,cGhvbmU=" }, "csv_file: is not Base64"],
    [
      "no UTF-8",
      { csv_file: new Uint8Array([0x70, 0x0a, 0xff]).toBase64() },
      "csv_file: is not text in UTF-8: on line 2 is the byte 0xFF",
    ],
    ["an Excel workbook", { csv_file: "UEsDBBQAAAAAAHhsL3dvcmtib29r" }, "csv_file: is an Excel workbook (.xlsx)"],
    ["UTF-16 without its mark", { csv_file: base64("p\0h\0o\0") }, "csv_file: looks like text in UTF-16 without"],
    [
      "no such column",
      { csv_file: base64("phone;name\n+1") },
      'csv_file: has no column headed phone_numbers; its first line has "phone", "name"',
    ],
    [
      "no such column beside a quoted name",
      { csv_file: base64('"a;b"\t"phone\nnumbers"\n') },
      'csv_file: has no column headed phone_numbers; its first line has "a;b", "phone\\nnumbers"',
    ],
    [
      "no such column with the separator that it names",
      { csv_file: base64("sep=;\nname,phone_numbers\n") },
      'csv_file: has no column headed phone_numbers; its first line has "name,phone_numbers"',
    ],
    [
      "a separator that is none",
      { csv_file: base64("sep=|\nname|phone_numbers\n") },
      'csv_file: names the separator "|" in its first line, which begins with sep=: write a comma, a semicolon or a tab',
    ],
    [
      "a first line without an end",
      { csv_file: base64(`"${"x\n".repeat(40_000)}",y`) },
      "csv_file: has no first line that ends within 65536 characters: is a quote missing in it?",
    ],
    [
      "nothing in the file",
      { csv_file: base64("\n\n") },
      "csv_file: has no column headed phone_numbers; its first line has nothing",
    ],
    [
      "an open quote",
      { csv_file: base64('phone_numbers\n"+1') },
      "csv_file: a quoted field that begins on line 2 is never closed",
    ],
    ["a file that is no string", { csv_file: ["x"] }, "csv_file: must be a string"],
    [
      "an array of other things",
      { phone_numbers: ["+12125550100", 5, null] },
      "phone_numbers[1]: must be a string | phone_numbers[2]: must be a string",
    ],
    [
      "two wrong lists",
      { phone_numbers: [5], csv_file: "*" },
      "phone_numbers[0]: must be a string | csv_file: is not Base64",
    ],
  ])("%s", async (_, body, message) => {
    expect(await fault(body)).toContain(message);
  });

  it("says the count that was found and the limit", async () => {
    const phone_numbers = new Array(5001).fill("+12125550100");
    expect(await fault({ phone_numbers })).toContain("has 5001 items; at most 5000");
    const csv = `phone_numbers\n${"+12125550100\n".repeat(50_001)}`;
    expect(await fault({ csv_file: base64(csv) })).toContain("has 50001 rows; at most 50000");
  });
});

describe("a large request", () => {
  const phoneOf = (index: number) => `+1212${5_000_000 + index}`;

  it("of 5,000 numbers is answered with one query", async () => {
    // The first request stores that the client was used.
    await ask({ phone_numbers: ["+12125550100"] });
    const { db, take } = countingDatabase(world.deps.db);
    world.deps = { ...world.deps, db };
    const phone_numbers = Array.from({ length: 5000 }, (_, index) => phoneOf(index));
    expect((await ask({ phone_numbers })).phoneNumberStatuses).toHaveLength(5000);
    expect(take().calls).toBe(1);
  });
});

describe("any list", () => {
  it("is answered with each distinct entry once, valid or not, in order", () => {
    const entry = fc.oneof(
      fc.integer({ min: 0, max: 30 }).map((n) => `+121255501${String(n).padStart(2, "0")}`),
      fc.string({ maxLength: 4 }),
      fc.constantFrom(" +12125550100", "+12125550100\t", ""),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), (given) => {
        const { valid: digits, invalid } = distinctPhones(given);
        const valid = Array.from(digits, toE164);
        const distinct = [...new Set(given.map((text) => text.trim()))];
        expect(valid).toEqual(distinct.filter((text) => valid.includes(text)));
        expect(invalid).toEqual(distinct.filter((text) => !valid.includes(text)));
      }),
    );
  });
});
