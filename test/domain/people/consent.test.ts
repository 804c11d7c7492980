import { describe, expect, it } from "vitest";
import { RequestFailure } from "../../../src/domain/failure.ts";
import { trySubscribeRequest } from "../../../src/domain/people/subscribe-request.ts";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";

const NOW = Date.UTC(2026, 10, 26, 12, 0, 0);
const FORM = "must be a date and a time with an offset or Z, such as 2026-11-27T09:00:00-05:00";
const NO_OFFSET = "has no offset: end it with Z, or with an offset, such as 2026-11-27T09:00:00-05:00";
const NO_DAY = "has a day that does not exist";
const NO_TIME = "has a time of day or an offset that does not exist";
const OLD = "must not be before 1990";
const AHEAD = "must not be more than 5 minutes in the future";

/** A time as given; when it is, in milliseconds since 1970, or what is wrong with it. */
const TIMES: [string, number | string][] = [
  ["2026-11-26T12:00:00Z", NOW],
  ["2026-11-26T12:05:00Z", NOW + 300_000],
  ["2026-11-26T12:05:00.001Z", AHEAD],
  ["2026-11-26T07:05:00-05:00", NOW + 300_000],
  ["2026-11-26T07:05:01-05:00", AHEAD],
  ["2026-11-26T23:00:00+14:00", NOW - 3 * 3_600_000],
  ["9999-12-31T23:59:59Z", AHEAD],
  ["1990-01-01T00:00:00Z", 631_152_000_000],
  ["1989-12-31T23:59:59.999Z", OLD],
  ["1990-01-01T00:30:00+01:00", OLD],
  ["1989-12-31T19:00:00-05:00", 631_152_000_000],
  ["2024-02-29T10:00:00Z", Date.UTC(2024, 1, 29, 10)],
  ["2025-02-29T10:00:00Z", NO_DAY],
  ["2026-11-31T09:00:00Z", NO_DAY],
  ["2026-11-00t09:00:00-05:00", NO_DAY],
  ["1900-02-29T09:00:00.5Z", NO_DAY],
  ["2026-13-01T09:00:00Z", "has a month that does not exist"],
  ["2026-00-31T25:00:00Z", "has a month that does not exist"],
  ["2026-11-31T25:00:00Z", NO_TIME],
  ["2026-11-26T12:00:00+25:00", NO_TIME],
  ["2026-11-26T12:60:00Z", NO_TIME],
  ["2026-11-26T12:00:00", NO_OFFSET],
  ["2026-11-31T12:00:00", NO_OFFSET],
  ["2026-11-26", FORM],
  ["2026-11-26T25:00:00Z", NO_TIME],
  ["11/26/2026", FORM],
  ["1764158400", FORM],
  ["yesterday", FORM],
];

/** Times as programs and databases write them into files. */
const WRITTEN: [string, number | string][] = [
  ["2026-11-26 12:00:00Z", NOW],
  ["2026-11-26T12:00Z", NOW],
  ["2026-11-26 07:00-05", NOW],
  ["2026-11-26 07:00:00-05", NOW],
  ["2026-11-26 07:00:00.000000-0500", NOW],
  ["2026-11-26 07:00:00 -0500", NOW],
  ["2026-11-26T17:30:00+0530", NOW],
  ["2026-11-26 12:00:00 UTC", NOW],
  ["2026-11-26 12:06Z", AHEAD],
  ["2025-02-29 10:00Z", NO_DAY],
  ["2026-11-26 12:00", FORM],
  ["2026-11-26 12:00:00 EST", FORM],
  ["2026-11-26 12:00:00-5", FORM],
  ["26-11-2026 12:00:00Z", FORM],
];

const EVIDENCE: [string, string | undefined][] = [
  ["Form at https://brand.example.com/join", undefined],
  ["x".repeat(1000), undefined],
  ["x".repeat(1001), "must have at most 1000 characters"],
  ["ä¿😀", undefined],
];

const body = (fields: object) => ({ phone_numbers: ["+12125550100"], sendPurpose: "news", ...fields });
const ofRequest = (fields: object) => trySubscribeRequest(body(fields), NOW);

describe("the fields consentedAt and evidence of a request", () => {
  it.each(TIMES)("consentedAt %s", (given, expected) => {
    const { data, details } = ofRequest({ consentedAt: given });
    if (typeof expected === "number") expect(data?.consent).toEqual({ consentedAt: expected, evidence: null });
    else expect(details).toEqual([{ field: "consentedAt", message: expected }]);
  });

  it.each(EVIDENCE)("evidence %s", (given, fault) => {
    const { data, details } = ofRequest({ evidence: given });
    if (fault) expect(details).toEqual([{ field: "evidence", message: fault }]);
    else expect(data?.consent).toEqual({ consentedAt: null, evidence: given });
  });

  it.each([[{}], [{ consentedAt: "", evidence: "" }], [{ consentedAt: null, evidence: null }]])(
    "are absent in %j",
    (fields) => expect(ofRequest(fields).data?.consent).toBeUndefined(),
  );

  it("are told with every other rule that the body breaks", () => {
    const { details } = ofRequest({ sendPurpose: "", consentedAt: "2027-01-01T00:00:00Z", evidence: "\ud83d" });
    expect(details?.map(({ field }) => field).sort()).toEqual(["consentedAt", "evidence", "sendPurpose"]);
    const others = [7, true, ["2026-11-26T12:00:00Z"], {}];
    for (const value of others) {
      expect(ofRequest({ consentedAt: value }).details).toEqual([{ field: "consentedAt", message: FORM }]);
      expect(ofRequest({ evidence: value }).details).toEqual([{ field: "evidence", message: "must be a string" }]);
    }
  });
});

function read(csv: string) {
  const file = new SubscriberFile(NOW, true);
  try {
    const parts = [...file.write(new TextEncoder().encode(csv)), ...file.end()];
    return { changes: parts.flatMap(({ changes }) => changes), columns: file.columns };
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
    return { details: error.failure.details };
  }
}

describe("the columns consented_at and evidence of the file of a request", () => {
  const ofFile = (rows: string[], fields: object = {}) => {
    const csv_file = new TextEncoder().encode(["phone_numbers,consented_at,evidence", ...rows].join("\n")).toBase64();
    return trySubscribeRequest(body({ phone_numbers: null, csv_file, ...fields }), NOW);
  };

  it.each([...TIMES, ...WRITTEN])("consented_at %s", (given, expected) => {
    const { data, details } = ofFile([`+12125550100, ${given} ,`]);
    const [change] = data?.subscribers.takePart().changes ?? [];
    if (typeof expected === "number") expect(change?.consent).toEqual({ consentedAt: expected, evidence: null });
    else
      expect(details).toEqual([
        {
          field: "csv_file",
          message: expect.stringMatching(/^line 2 has ".*" in the column consented_at: it (must|has)/),
        },
      ]);
  });

  it("go before those of the body, and are told with every fault", () => {
    const rows = ["+12125550100,2026-01-01T00:00Z,form", "+12125550101,,", "+12125550102,,paper"];
    const { data } = ofFile(rows, { evidence: "all", consentedAt: "2026-02-01T00:00:00Z" });
    expect(data?.subscribers.takePart().changes.map(({ consent }) => consent)).toEqual([
      { consentedAt: Date.UTC(2026, 0, 1), evidence: "form" },
      undefined,
      { consentedAt: null, evidence: "paper" },
    ]);
    expect(data?.consent).toEqual({ consentedAt: Date.UTC(2026, 1, 1), evidence: "all" });
    const wrong = ofFile(["+12125550100,soon,", `+12125550101,,${"x".repeat(1001)}`, "+12125550102,,"]);
    expect(wrong.details?.map(({ message }) => message)).toEqual([
      `line 2 has "soon" in the column consented_at: it ${FORM}`,
      `line 3 has "${"x".repeat(63)}…" in the column evidence: it must have at most 1000 characters, and has 1001`,
    ]);
  });
});

describe("the columns consented_at and evidence of a file", () => {
  it.each([...TIMES, ...WRITTEN])("consented_at %s", (given, expected) => {
    const { changes, details } = read(`phone_numbers,consented_at\n+12125550100, ${given} \n`);
    if (typeof expected === "number") expect(changes?.[0]?.consent).toEqual({ consentedAt: expected, evidence: null });
    else expect(details).toEqual([{ field: "consented_at", message: expected, line: 2, value: given }]);
  });

  it.each(EVIDENCE)("evidence %s", (given, fault) => {
    const { changes, details } = read(`evidence,phone_numbers\n,+12125550101\n"${given}",+12125550100\n`);
    if (fault) {
      const message = `${fault}, and has ${given.length}`;
      expect(details).toEqual([{ field: "evidence", message, line: 3, value: `${"x".repeat(63)}…` }]);
    }
    if (!fault)
      expect(changes?.map(({ consent }) => consent)).toEqual([undefined, { consentedAt: null, evidence: given }]);
  });

  it("are named in the answer as the file writes them, and left out where it lacks them", () => {
    const phone = { phone: "phone_numbers", email: null, subscribed: null };
    expect(read("phone_numbers\n+12125550100\n").columns).toEqual(phone);
    expect(read("phone_numbers,Evidence,Consented_At\n+12125550100,,\n")).toEqual({
      changes: [{ phone: 12125550100, email: null, subscribed: true }],
      columns: { ...phone, consentedAt: "Consented_At", evidence: "Evidence" },
    });
  });

  it("keep the last proof of a number's rows", () => {
    const rows = ["a,2026-01-01T00:00:00Z", "b,", ","].map((row) => `+12125550100,${row}`);
    const { changes } = read(["phone_numbers,evidence,consented_at", ...rows].join("\n"));
    expect(changes?.map(({ consent }) => consent)).toEqual([{ consentedAt: null, evidence: "b" }]);
  });
});
