// Pure. The shape that each row of a file of people must have. A row of another shape has the words of one column in another, so the
// whole file is refused.
import { CsvError } from "./csv.ts";
import { isBlank, strip } from "./invisible.ts";
import { looksLikeState } from "./state-column.ts";

export const PHONE_COLUMN = "phone_numbers";

/** The columns of a file that some call reads. */
const OURS = new Set([PHONE_COLUMN, "email", "subscribed", "consented_at", "evidence"]);

/** No number has fewer digits. */
const LEAST_DIGITS = 7;

/** How many fields a row has, without the blank ones at its end. */
export const countFields = (fields: string[]): number => fields.findLastIndex((field) => !isBlank(field)) + 1;

/** Whether a cell may be meant as a phone number, be it a valid one or not. */
export const hasNumber = (cell: string): boolean => cell.replaceAll(/\D/g, "").length >= LEAST_DIGITS;

const nameOf = (field: string) => strip(field).toLowerCase();

/** Whether a row names columns. Most fields are too short to be looked at. */
const isHeader = (fields: string[]) =>
  fields.some((field) => field.length >= PHONE_COLUMN.length && nameOf(field) === PHONE_COLUMN);

export class RowShape {
  readonly #names: string[];
  readonly #width: number;
  readonly #phonePlace: number;
  #isFirst = true;

  /** @param names of the columns */
  constructor(names: string[], phonePlace: number) {
    this.#names = names;
    this.#width = countFields(names);
    this.#phonePlace = phonePlace;
  }

  /** @returns false: the row has the names of the columns once more, and is to be skipped. @throws CsvError */
  check(fields: string[], line: number): boolean {
    if (isHeader(fields)) return this.#checkHeader(fields, line);
    if (fields.length > this.#width) this.#checkWidth(fields, line);
    if (this.#isFirst) this.#checkFirst(fields, line);
    this.#isFirst = false;
    return true;
  }

  #checkWidth(fields: string[], line: number): void {
    const count = countFields(fields);
    if (count <= this.#width) return;
    throw new CsvError(
      `line ${line} has ${count} fields, and the line that names the columns has ${this.#width}: a field that has a separator in it must be in quotes`,
      { line },
    );
  }

  /** Files that were put together keep the first lines of each. */
  #checkHeader(fields: string[], line: number): false {
    const isSame =
      countFields(fields) === this.#width &&
      this.#names.slice(0, this.#width).every((name, place) => nameOf(name) === nameOf(fields[place] ?? ""));
    if (isSame) return false;
    throw new CsvError(
      `line ${line} names columns again, and other ones than the first line or in another order: send the parts as files of their own`,
      { line },
    );
  }

  /**
   * Merged cells of a spreadsheet leave a header of two lines, of which the first does not name all columns. Below the name of a state,
   * such a word is a state: somebody without a number may be the first of a list.
   */
  #checkFirst(fields: string[], line: number): void {
    if (hasNumber(fields[this.#phonePlace] ?? "")) return;
    const isName = (field: string) => OURS.has(nameOf(field)) || looksLikeState(field);
    const word = fields.find((field, place) => isName(field) && !looksLikeState(this.#names[place] ?? ""));
    if (word === undefined) return;
    throw new CsvError(
      `line ${line} has no phone number, and ${JSON.stringify(strip(word).slice(0, 40))} looks like the name of a column: write the names of all columns into one line`,
      { line },
    );
  }
}
