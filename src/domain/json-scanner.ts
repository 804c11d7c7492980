// Pure. Holds a text to the grammar of JSON (RFC 8259), in pieces that may end anywhere, and finds the values of its second level.

/** The text is not JSON: the scanner says where and why. */
export class JsonFault extends Error {}

/**
 * What may come after each character of a number: in each state, the next state after 0, 1 to 9, a full stop, e, a sign, and
 * anything else. "!": a fault, " ": the number ends.
 */
const NUMBER = [
  "12!!!!", // after the minus
  "  35  ", // after a leading zero
  "2235  ",
  "44!!!!", // after the full stop
  "44 5  ",
  "77!!6!", // after e
  "77!!!!", // after its sign
  "77    ",
];

const WORDS: Record<string, string> = { t: "true", f: "false", n: "null" };

/** As `at`: there is none. */
const NONE = -1;

/** Each character is read once; what a piece ends within is kept as it is, and joined at its end. */
export class JsonScanner {
  /** In each array or object that is open: the index, or the last name as it is written, "" before the first. */
  readonly open: (number | string)[] = [];
  expects: "value" | "name" | "colon" | "comma" | "end" = "value";
  /** The kind of token that the next character continues. */
  within: "" | "string" | "escape" | "number" | "word" = "";
  isAfterString = false;
  /** The piece, and the number of bytes before it. */
  text = "";
  before = 0;
  /** Of a fault: where it is, and what is in the wrong place. Undefined: the character there. */
  at = 0;
  token: string | undefined;

  /** With each name of the outermost object, as it is written. */
  onName: (raw: string) => void = () => {};
  /** With each value of an array or object in the outermost one. */
  onItem: (raw: string) => void = () => {};
  /** When an array or object begins. */
  onOpen: () => void = () => {};

  /** The place within the kind of token: a row of NUMBER, an index of the word, or digits of the escape. */
  #step = 0;
  #word = "";
  /** Where the token and the item began, and what earlier pieces had of them: they are then continued at 0. */
  #tokenAt = NONE;
  #token = "";
  #itemAt = NONE;
  #item = "";

  /** @param before the number of bytes before the text @throws JsonFault, and what the callbacks throw */
  write(text: string, before: number): void {
    this.#keep();
    this.text = text;
    this.before = before;
    for (let at = 0; at < text.length; ) {
      if (this.within === "") at = this.#begin(at);
      else if (this.within === "string") at = this.#string(at);
      else if (this.within === "escape") at = this.#escape(at);
      else if (this.within === "number") at = this.#number(at);
      else at = this.#letter(at);
    }
  }

  /** @returns whether the text is complete @throws JsonFault */
  end(): boolean {
    if (this.within === "number" && NUMBER[this.#step]?.endsWith(" ")) this.#endToken("a number", this.text.length);
    return this.expects === "end" && this.within === "";
  }

  get isEmpty(): boolean {
    return this.expects === "value" && this.within === "" && this.open.length === 0;
  }

  /** @returns where to go on, as all that read do */
  #begin(at: number): number {
    const character = this.text[at] ?? "";
    if (character === " " || character === "\n" || character === "\r" || character === "\t") return at + 1;
    if (this.expects === "end") this.#fail(at);
    this.#tokenAt = at;
    if (this.expects === "value" && this.open.length === 2 && character !== "]") this.#itemAt = at;
    if (character === '"') this.within = "string";
    else if (character === ",") this.#comma(at);
    else if (character === ":") {
      if (this.expects !== "colon") this.#fail(at);
      this.expects = "value";
    } else if (character === "{" || character === "[") this.#open(at, character);
    else if (character === "}" || character === "]") this.#close(at, character);
    else this.#beginPlain(at, character);
    return at + 1;
  }

  #beginPlain(at: number, character: string): void {
    this.#word = WORDS[character] ?? "";
    if (this.#word !== "") this.within = "word";
    else if (character === "-" || (character >= "0" && character <= "9")) this.within = "number";
    else this.#fail(at);
    this.#step = this.#word !== "" || character === "0" ? 1 : character === "-" ? 0 : 2;
  }

  #comma(at: number): void {
    if (this.expects !== "comma") this.#fail(at);
    const last = this.open.length - 1;
    const key = this.open[last];
    this.expects = typeof key === "number" ? "value" : "name";
    if (typeof key === "number") this.open[last] = key + 1;
  }

  #open(at: number, character: string): void {
    if (this.expects !== "value") this.#fail(at);
    this.expects = character === "{" ? "name" : "value";
    this.open.push(character === "{" ? "" : 0);
    this.onOpen();
  }

  #close(at: number, character: string): void {
    const key = this.open.at(-1);
    const isEmpty = this.expects === "value" ? key === 0 : this.expects === "name" && key === "";
    if (!(isEmpty || this.expects === "comma") || (typeof key === "number") !== (character === "]")) this.#fail(at);
    this.open.pop();
    this.#endValue(at + 1);
  }

  #string(from: number): number {
    const text = this.text;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.#endToken("a string", at + 1);
        return at + 1;
      }
      if (code === 0x5c) {
        this.within = "escape";
        this.#step = 0;
        return at + 1;
      }
      if (code < 0x20) this.#fail(at);
    }
    return text.length;
  }

  #escape(at: number): number {
    const character = this.text[at] ?? "";
    if (!(this.#step === 0 ? '"\\/bfnrtu' : "0123456789abcdefABCDEF").includes(character)) this.#fail(at);
    this.#step += 1;
    if (this.#step === 5 || (this.#step === 1 && character !== "u")) this.within = "string";
    return at + 1;
  }

  #number(at: number): number {
    const kind = "5011111111123344"["0123456789.eE+-".indexOf(this.text[at] ?? "") + 1];
    const next = NUMBER[this.#step]?.[Number(kind)];
    if (next === "!") this.#fail(at);
    if (next === " ") this.#endToken("a number", at);
    else this.#step = Number(next);
    return next === " " ? at : at + 1;
  }

  #letter(at: number): number {
    if (this.text[at] !== this.#word[this.#step]) this.#fail(at);
    this.#step += 1;
    if (this.#step === this.#word.length) this.#endToken(undefined, at + 1);
    return at + 1;
  }

  /** @param kind of what is not described by its first character */
  #endToken(kind: string | undefined, end: number): void {
    this.within = "";
    const isString = kind === "a string";
    if (isString && this.expects === "name") this.#name(end);
    else if (this.expects === "value") {
      this.#endValue(end);
      this.isAfterString = isString;
    } else this.#fail(this.#tokenAt, kind);
    this.#token = "";
  }

  #name(end: number): void {
    const raw = this.#token + this.text.slice(this.#tokenAt, end);
    this.expects = "colon";
    this.open[this.open.length - 1] = raw;
    if (this.open.length === 1) this.onName(raw);
  }

  #endValue(end: number): void {
    this.isAfterString = false;
    this.expects = this.open.length > 0 ? "comma" : "end";
    if (this.open.length !== 2) return;
    const raw = this.#item + this.text.slice(this.#itemAt, end);
    this.#itemAt = NONE;
    this.#item = "";
    this.onItem(raw);
  }

  /** Keeps what the piece has of a token and an item that are not complete. */
  #keep(): void {
    if (this.within !== "") {
      this.#token += this.text.slice(this.#tokenAt);
      this.#tokenAt = 0;
    }
    if (this.#itemAt !== NONE) {
      this.#item += this.text.slice(this.#itemAt);
      this.#itemAt = 0;
    }
  }

  #fail(at: number, token?: string): never {
    if (this.within === "") {
      // A whole token in the wrong place may have begun in an earlier piece.
      this.before -= new TextEncoder().encode(this.#token).length;
      this.text = this.#token + this.text;
    }
    this.at = at;
    this.token = token;
    throw new JsonFault();
  }
}
