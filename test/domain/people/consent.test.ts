import { describe, expect, it } from "vitest";
import { RequestFailure } from "../../../src/domain/failure.ts";
import { trySubscribeRequest } from "../../../src/domain/people/subscribe-request.ts";
import { SubscriberFile } from "../../../src/domain/people/subscriber-file.ts";

const NOW = Date.UTC(2026, 10, 26, 12, 0, 0);
const FORM = "must be a date and a time with an offset or Z, such as 2026-11-27T09:00:00-05:00";
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
  ["2025-02-29T10:00:00Z", FORM],
  ["2026-11-26T12:00:00", FORM],
  ["2026-11-26", FORM],
  ["2026-11-26 12:00:00Z", FORM],
  ["2026-11-26T25:00:00Z", FORM],
  ["11/26/2026", FORM],
  ["1764158400", FORM],
  ["yesterday", FORM],
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
  const file = new SubscriberFile(NOW);
  try {
    const parts = [...file.write(new TextEncoder().encode(csv)), ...file.end()];
    return { changes: parts.flatMap(({ changes }) => changes), columns: file.columns };
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.failure.kind !== "fields-wrong") throw error;
    return { details: error.failure.details };
  }
}

describe("the columns consented_at and evidence of a file", () => {
  it.each(TIMES)("consented_at %s", (given, expected) => {
    const { changes, details } = read(`phone_numbers,consented_at\n+12125550100, ${given} \n`);
    if (typeof expected === "number") expect(changes?.[0]?.consent).toEqual({ consentedAt: expected, evidence: null });
    else expect(details).toEqual([{ field: "consented_at", message: `${expected}; line 2 has "${given}"` }]);
  });

  it.each(EVIDENCE)("evidence %s", (given, fault) => {
    const { changes, details } = read(`evidence,phone_numbers\n,+12125550101\n"${given}",+12125550100\n`);
    if (fault) expect(details).toEqual([{ field: "evidence", message: `${fault}; line 3 has ${given.length}` }]);
    else expect(changes?.map(({ consent }) => consent)).toEqual([undefined, { consentedAt: null, evidence: given }]);
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
