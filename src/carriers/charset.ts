// Pure. The text of a query in another character set than UTF-8, which URLSearchParams takes for granted.

/** The bytes of a parameter; none if the query lacks it. @param search a query with its question mark */
export function rawParameter(search: string, name: string): Uint8Array<ArrayBuffer> {
  const pairs = search.slice(1).split("&");
  const pair = pairs.find((one) => one === name || one.startsWith(`${name}=`)) ?? "";
  const value = pair.slice(name.length + 1).replaceAll("+", " ");
  const bytes: number[] = [];
  for (let at = 0; at < value.length; at++) {
    const hex = /^%[\da-f]{2}/i.exec(value.slice(at, at + 3))?.[0];
    bytes.push(hex ? Number.parseInt(hex.slice(1), 16) : value.charCodeAt(at));
    if (hex) at += 2;
  }
  return new Uint8Array(bytes);
}

interface Decoded {
  text: string;
  /** The named character set, if it is not known. */
  unknownCharset?: string;
}

/** By the name in upper case, without punctuation. Kannel uses the first three. Latin-1 is read as its superset Windows-1252. */
const DECODERS: Record<string, string> = {
  UTF16BE: "utf-16be",
  UTF8: "utf-8",
  WINDOWS1252: "windows-1252",
  CP1252: "windows-1252",
  ISO88591: "windows-1252",
  LATIN1: "windows-1252",
  USASCII: "utf-8",
  ASCII: "utf-8",
  UTF16: "utf-16be",
  UCS2: "utf-16be",
  UTF16LE: "utf-16le",
};

const MOST_CHARACTERS = 40;

/** @param charset as the gateway names it. Without one, a text that is plainly UTF-16BE is read so, and any other as UTF-8 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>, charset: string | null): Decoded {
  const named = charset?.trim() ?? "";
  const name = named.toUpperCase().replaceAll(/[^A-Z\d]/g, "");
  const known = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  const text = new TextDecoder(known ?? (isUtf16(bytes) ? "utf-16be" : "utf-8")).decode(bytes);
  return named && !known ? { text, unknownCharset: named.slice(0, MOST_CHARACTERS) } : { text };
}

/** The high byte of a Latin letter is NUL, which UTF-8 has nowhere in a text. */
function isUtf16(bytes: Uint8Array): boolean {
  const nuls = (place: 0 | 1) => bytes.filter((byte, at) => byte === 0 && at % 2 === place).length;
  return bytes.length % 2 === 0 && nuls(0) > nuls(1);
}
