import fc from "fast-check";
import { expect, it } from "vitest";
import { stripWords } from "../../../src/domain/messages/carrier-words.ts";
import { maskNumbers } from "../../../src/domain/operations/mask.ts";

/** Whether seven digits of the number follow one another in a text, whatever is between them. */
export function hasNumber(text: string, digits: string): boolean {
  const plain = [...text.normalize("NFKC")]
    .map((it) => "٠١٢٣٤٥٦٧٨٩".indexOf(it) + "۰۱۲۳۴۵۶۷۸۹".indexOf(it) + 1)
    .map((place, at) => (place >= 0 ? String(place) : ([...text.normalize("NFKC")][at] ?? "")))
    .filter((it) => it >= "0" && it <= "9")
    .join("");
  return Array.from({ length: digits.length - 6 }, (_, at) => digits.slice(at, at + 7)).some((it) =>
    plain.includes(it),
  );
}

/** A number in a carrier's words. @param numRuns how many are drawn */
export function testDrawnNumbers(numRuns: number): void {
  it("never comes out with seven digits in a row, however it is spelled and whatever is around it", () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/);
    const between = fc.oneof(
      fc.constantFrom(
        "",
        " ",
        "-",
        ".",
        "/",
        "\u2011",
        ") ",
        " (",
        ",",
        ", ",
        ": ",
        "_",
        "\u00a0",
        "\u200b",
        "%",
        "·",
        "\n",
        "…",
        "•",
      ),
      fc.string({ unit: "grapheme", maxLength: 3 }).filter((it) => !/\p{N}/u.test(it.normalize("NFKC"))),
    );
    const around = fc.string({ unit: "binary", maxLength: 20 }).filter((it) => !/\p{N}/u.test(it.normalize("NFKC")));
    const script = fc.constantFrom("0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "⁰¹²³⁴⁵⁶⁷⁸⁹");
    fc.assert(
      fc.property(
        digits,
        fc.array(between, { minLength: 15, maxLength: 15 }),
        script,
        around,
        around,
        (number, signs, own, a, b) => {
          const spelled = [...number].map((digit, at) => [...own][Number(digit)] + (signs[at] ?? "")).join("");
          const stored = stripWords(`kannel: HTTP 400: ${a}${spelled}${b}`, { text: "x", phone: `+${number}` });
          expect(hasNumber(stored.replace("kannel: HTTP 400", ""), number)).toBe(false);
          // If the number is not known, it is found where no letter stands between its digits.
          if (!/\p{L}/u.test(signs.join(""))) expect(hasNumber(maskNumbers(a + spelled + b), number)).toBe(false);
        },
      ),
      { numRuns },
    );
  });
}
