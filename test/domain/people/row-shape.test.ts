/** One shape of a row, in each reader of files: of numbers alone, of `POST /text/subscribe`, and of an import. */
import { describe, expect, it } from "vitest";
import { RequestFailure } from "../../../src/domain/failure.ts";
import { CsvError } from "../../../src/domain/people/csv.ts";
import { readPhoneColumn } from "../../../src/domain/people/phone-file.ts";
import { trySubscribeRequest } from "../../../src/domain/people/subscribe-request.ts";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";

const NOW = Date.UTC(2026, 10, 28);

/** The numbers of a file, or the faults for which it is refused. */
interface Read {
  phones?: number[];
  faults?: string[];
}

function readNumbers(csv: string): Read {
  try {
    const cells = readPhoneColumn(csv);
    if (Array.isArray(cells)) return { phones: cells.map(Number) };
    const { text, bounds } = cells;
    const rows = Array.from({ length: bounds.length / 2 }, (_, row) =>
      text.slice(bounds[2 * row], bounds[2 * row + 1]),
    );
    return { phones: rows.map(Number) };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { faults: [error.message] };
  }
}

function readRequest(csv: string): Read {
  const csv_file = new TextEncoder().encode(csv).toBase64();
  const { data, details } = trySubscribeRequest({ csv_file, sendPurpose: "news" }, NOW);
  if (details) return { faults: details.map(({ message }) => message) };
  return { phones: data.subscribers.takePart().changes.map(({ phone }) => phone) };
}

function readImport(csv: string, everyone = !/subscribed/i.test(csv)): Read {
  const file = new SubscriberFile(NOW, everyone);
  try {
    const parts = [...file.write(new TextEncoder().encode(csv)), ...file.end()];
    return { phones: parts.flatMap(({ changes }) => changes.map(({ phone }) => phone)) };
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
    return { faults: error.failure.details.map(({ message }) => message) };
  }
}

const ONE = 12125550141;
const TWO = 12125550142;

describe.each([
  ["numbers", readNumbers],
  ["a request that subscribes", readRequest],
  ["an import", readImport],
])("a file of %s", (_, read) => {
  it.each<[string, string, RegExp]>([
    [
      "a comma in a name that moves the cells",
      `name,agent,phone_numbers\nExample, Ann,+${ONE},+${TWO}\n`,
      /^line 2 has 4 fields, and the line that names the columns has 3/,
    ],
    [
      "the same behind a separator at the end of each line",
      `name,agent,phone_numbers,\nExample, Ann,+${ONE},+${TWO},\n`,
      /^line 2 has 4 fields, and the line that names the columns has 3/,
    ],
    [
      "the same with semicolons, below a line that names them, CR and blank lines",
      `sep=;\r\rname;phone_numbers\r\rAnn;+${ONE}\rA;B;+${TWO}\r`,
      /^line 6 has 3 fields, and the line that names the columns has 2/,
    ],
    ["a field too many in the last row", `phone_numbers\n+${ONE}\n+${TWO},x`, /^line 3 has 2 fields, .* has 1:/],
    [
      "a quote that is not closed in its row, where a later one closes it",
      `phone_numbers,name\n+${ONE},"Ann\n+${TWO},Bob\n+12125550143,"Carl"\n`,
      /^line 4 has text after a closing quote; the quoted field begins on line 2:/,
    ],
    [
      "a quote that a backslash was to escape",
      `phone_numbers,name\n+${ONE},"Bo \\"" ok\n+${TWO},"Al"\n`,
      /^line 3 has text after a closing quote; the quoted field begins on line 2:/,
    ],
    [
      "a quote that is never closed",
      `phone_numbers,name\n+${ONE},"Ann\n+${TWO},Bob\n`,
      /begins on line 2 is never closed/,
    ],
    [
      "two columns of phone numbers",
      `phone_numbers,Phone_Numbers\n+${ONE},+${TWO}\n`,
      /^has two columns headed phone_numbers, the columns 1 and 2/,
    ],
    [
      "a second header with other columns",
      `phone_numbers,email\n+${ONE},\n\nemail,phone_numbers\na@example.com,+${TWO}\n`,
      /^line 4 names columns again/,
    ],
    [
      "a second header with fewer columns",
      `phone_numbers,email\n+${ONE},\nPHONE_NUMBERS\n+${TWO}\n`,
      /^line 3 names columns again/,
    ],
    [
      "a header of two lines",
      `phone_numbers,SMS,,Email\n,email,consented,x\n+${ONE},a@example.com,x,\n`,
      /^line 2 has no phone number, and "email" looks like/,
    ],
    [
      "a header of two lines with a state",
      `phone_numbers,SMS\n,"Opted out"\n+${ONE},x\n`,
      /^line 2 has no phone number, and "Opted out" looks like/,
    ],
  ])("is refused for %s", (_name, csv, fault) => {
    expect(read(csv)).toEqual({ faults: [expect.stringMatching(fault)] });
  });

  it.each<[string, string]>([
    ["blank fields beyond the first line", `phone_numbers\n+${ONE},,\n+${TWO}, ,\u200b\n`],
    ["blank names at the end of the first line", `phone_numbers,,\n+${ONE},\n+${TWO},,,\n`],
    ["rows that end early", `phone_numbers,name,note\n+${ONE}\n+${TWO},x\n`],
    ["a quote within a field", `phone_numbers,name\n+${ONE},6" of snow\n+${TWO}, x "y"\n`],
    ["blanks before an opening quote", `phone_numbers, "name"\n "+${ONE}", "a, b"\n\u00a0"+${TWO}", "c\nd"\n`],
    [
      "a second byte order mark before quotes",
      `\ufeff"phone_numbers",name\n+${ONE},\n\ufeff"phone_numbers",name\n+${TWO},\n`,
    ],
    ["blanks behind a closing quote", `phone_numbers,name\n"+${ONE}" ,"x"\t\n"+${TWO}",\n`],
    ["a line break in quotes", `phone_numbers,name\n+${ONE},"a\nb"\n+${TWO},\n`],
    ["the header once more", `phone_numbers,name\n+${ONE},\n\ufeffPHONE_NUMBERS , Name,\n+${TWO},\n`],
    ["numbers that a program kept from a spreadsheet", `phone_numbers\n'+${ONE}\n="+${TWO}"\n`],
    ["the same in quotes", `phone_numbers\n"'+${ONE}"\n"=""+${TWO}"""\n`],
    ["the same with blanks", `phone_numbers\n' +${ONE}\n= "\u00a0+${TWO} "\n`],
    ["two columns that are not read", `phone_numbers,name,name\n+${ONE},a,b\n+${TWO},,\n`],
  ])("is read with %s", (_name, csv) => {
    expect(read(csv)).toEqual({ phones: [ONE, TWO] });
  });
});

it("subscribes nobody by a word within a quoted field that begins behind a blank", () => {
  const csv = `phone_numbers,name,subscribed,note\n+${ONE}, "Ann, true, x"\n`;
  expect(readImport(csv)).toEqual({ faults: ["must be true or false"] });
});

it("takes a word below the name of a state for a state, and not for a name", () => {
  const csv = `phone_numbers,Status,subscribed\n,unsubscribed,false\n+${ONE},active,true\n`;
  expect(readNumbers(csv)).toEqual({ phones: [0, ONE] });
  expect(readImport(csv)).toEqual({ phones: [ONE] });
});

describe("a column subscribed", () => {
  const LINES = `phone_numbers,email,subscribed\n+${ONE},a@example.com,true\n+${TWO}`;

  it.each([
    ["is blank", ",b@example.com,"],
    ["has a blank that nobody sees", ",b@example.com, \u200b"],
    ["is missing", ""],
    ["is missing with the cell before", ",b@example.com"],
  ])("that %s in a row says nothing of consent", (_name, end) => {
    expect(readImport(LINES + end)).toEqual({ faults: ["must be true or false"] });
    const fault = "line 3 has nothing in the column subscribed: this call subscribes every number of the file";
    expect(readRequest(LINES + end)).toEqual({ faults: [`${fault}, so leave the row out`] });
  });

  it("stands once, in any case of its letters", () => {
    for (const name of ["subscribed", "Subscribed"]) {
      const csv = `phone_numbers,subscribed,${name}\n+${ONE},true,false\n`;
      const faults = [expect.stringMatching(/^has two columns headed subscribed, the columns 2 and 3/)];
      expect([readImport(csv), readRequest(csv)]).toEqual([{ faults }, { faults }]);
    }
  });

  it("is there, or the request says that everyone has agreed, and not both", () => {
    const bare = `phone_numbers,name\n+${ONE},Ann\n`;
    expect(readImport(bare, true)).toEqual({ phones: [ONE] });
    expect(readImport(bare, false).faults).toEqual([expect.stringMatching(/; it has "phone_numbers", "name"$/)]);
    const both = `phone_numbers,subscribed\n+${ONE},true\n`;
    expect(readImport(both, false)).toEqual({ phones: [ONE] });
    expect(readImport(both, true).faults).toEqual([
      "must be left out, because the file has a column headed subscribed",
    ]);
  });
});
