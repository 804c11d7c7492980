import { describe, expect, it } from "vitest";
import { readSenderNumber } from "../../src/domain/sender-number.ts";

const OURS = "+12125550000";
const GERMAN = "+4930123456";

describe("the sender of a text", () => {
  it.each<[given: string, recipients: string[], likely: number[]]>([
    ["+12125550100", [OURS], [12125550100]],
    ["12125550100", [OURS], [12125550100]],
    ["0012125550100", [OURS], [12125550100]],
    ["01112125550100", [OURS], [12125550100]],
    ["2125550100", [OURS], [12125550100]],
    ["(212) 555-0100", ["12125550000"], [12125550100]],
    ["+1 212 555 0100", ["12345"], [12125550100]],
    ["2125550100", ["MG33333333333333333333333333333333", OURS], [12125550100]],
    ["447911123456", [OURS], [447911123456]],
    ["01149151123456", [OURS], [49151123456]],
    ["015112345678", [GERMAN], [4915112345678]],
    ["0012125550100", [GERMAN], [12125550100]],
    ["0012125550100", ["12345"], [12125550100]],
    // Both may be meant: at home first, unless it begins with the code of the country itself.
    ["3615550100", [OURS], [13615550100, 3615550100]],
    ["4915112345678", [GERMAN], [4915112345678, 494915112345678]],
    // As short as this, it is nobody's phone.
    ["12345", [OURS], []],
    ["+12345", [OURS], []],
    ["Brand", [OURS], []],
    ["", [OURS], []],
    ["00", [OURS], []],
    ["+1212555010012345", [OURS], []],
    ["٢١٢٥٥٥٠١٠٠", [OURS], []],
  ])("%s to %j may be %j", (given, recipients, likely) => {
    expect(readSenderNumber(given, recipients)).toEqual({ likely, guesses: [] });
  });

  it.each(["+999123456789", "00999123456789"])("%s stands, though no country has such a number any more", (given) => {
    expect(readSenderNumber(given, [OURS])).toEqual({ likely: [999123456789], guesses: [] });
  });

  it("in a form that no country has is a guess as it stands", () => {
    expect(readSenderNumber("999123456789", [OURS])).toEqual({ likely: [], guesses: [999123456789] });
  });

  it("to a short code or a name is in international form, or a guess at each country's", () => {
    expect(readSenderNumber("12125550100", ["12345"]).likely).toEqual([12125550100]);
    const { likely, guesses } = readSenderNumber("2125550100", ["Brand"]);
    expect(likely).toEqual([]);
    expect(guesses).toContain(12125550100);
    expect(guesses.length).toBeLessThan(206);
    expect(new Set(guesses).size).toBe(guesses.length);
  });
});
