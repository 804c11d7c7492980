// Finds where the rows of a CSV file end, byte by byte, with the rules of the service: a quote counts at the beginning of a field, and
// line breaks within quotes end no row.

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = [34, 10, 13];

export class RowEnds {
  readonly #separator: number;
  #place: "field" | "bare" | "quoted" | "after-quote" = "field";
  #before = 0;
  /** Line breaks so far, as an editor counts them. */
  lines = 0;

  /** @param separator one ASCII character */
  constructor(separator: string) {
    this.#separator = separator.charCodeAt(0);
  }

  /** Whether this byte is the second half of a line break. */
  isSecondHalf(byte: number): boolean {
    return byte === LINE_FEED && this.#before === CARRIAGE_RETURN;
  }

  /** @returns whether a row ends with this byte, or with it and the second half of a line break */
  take(byte: number): boolean {
    const isBreak = (byte === LINE_FEED || byte === CARRIAGE_RETURN) && !this.isSecondHalf(byte);
    if (isBreak) this.lines += 1;
    const isHalf = this.isSecondHalf(byte);
    this.#before = byte;
    if (this.#place === "quoted") {
      if (byte === QUOTE) this.#place = "after-quote";
      return false;
    }
    if (isHalf) return false;
    if (byte === QUOTE && this.#place !== "bare") this.#place = "quoted";
    else this.#place = isBreak || byte === this.#separator ? "field" : "bare";
    return isBreak;
  }
}
