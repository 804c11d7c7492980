/** Text as it travels in a short message: GSM 03.38 (one septet per octet, as SMPP carries it) or UCS-2. */

export const DataCoding = { gsm: 0x00, latin1: 0x03, ucs2: 0x08 } as const;

export interface EncodedText {
  dataCoding: number;
  /** One element, or several when the text is too long for one message. */
  parts: Buffer[];
}

const ESCAPE = 0x1b;

/** The basic alphabet: a character's place in this string is its septet. Place 0x1b is the escape itself. */
const BASIC_ALPHABET = [
  "@£$¥èéùìòÇ\nØø\rÅå",
  "Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ",
  " !\"#¤%&'()*+,-./",
  "0123456789:;<=>?",
  "¡ABCDEFGHIJKLMNO",
  "PQRSTUVWXYZÄÖÑÜ§",
  "¿abcdefghijklmno",
  "pqrstuvwxyzäöñüà",
].join("");

/** The characters that take two septets: the escape, then this one. */
const EXTENSIONS: ReadonlyMap<number, string> = new Map([
  [0x0a, "\f"],
  [0x14, "^"],
  [0x28, "{"],
  [0x29, "}"],
  [0x2f, "\\"],
  [0x3c, "["],
  [0x3d, "~"],
  [0x3e, "]"],
  [0x40, "|"],
  [0x65, "€"],
]);
const EXTENSION_SEPTETS: ReadonlyMap<string, number> = new Map(
  [...EXTENSIONS].map(([septet, character]) => [character, septet]),
);

/** Octets that fit in one message, and in each part of a longer one (six go to the concatenation header). */
const GSM_LIMITS = { single: 160, part: 153 };
const UCS2_LIMITS = { single: 140, part: 134 };

export function decodeText(dataCoding: number, octets: Uint8Array): string {
  if (dataCoding === DataCoding.ucs2) return new TextDecoder("utf-16be").decode(octets);
  if (dataCoding === DataCoding.latin1) return Buffer.from(octets).toString("latin1");
  return decodeGsm(octets);
}

/** Chooses GSM 03.38 when it has every character of the text, UCS-2 otherwise, and splits what is too long. */
export function encodeText(text: string): EncodedText {
  const characters = [...text];
  const gsm = characters.map(gsmOctets);
  if (gsm.every((octets) => octets !== undefined)) {
    return { dataCoding: DataCoding.gsm, parts: fillParts(gsm, GSM_LIMITS) };
  }
  return { dataCoding: DataCoding.ucs2, parts: fillParts(characters.map(ucs2Octets), UCS2_LIMITS) };
}

function decodeGsm(octets: Uint8Array): string {
  let text = "";
  let escaped = false;
  for (const octet of octets) {
    if (!escaped && octet === ESCAPE) {
      escaped = true;
      continue;
    }
    text += (escaped ? EXTENSIONS.get(octet) : BASIC_ALPHABET[octet]) ?? "?";
    escaped = false;
  }
  return text;
}

function gsmOctets(character: string): Buffer | undefined {
  const extension = EXTENSION_SEPTETS.get(character);
  if (extension !== undefined) return Buffer.of(ESCAPE, extension);
  const septet = BASIC_ALPHABET.indexOf(character);
  return septet < 0 || septet === ESCAPE ? undefined : Buffer.of(septet);
}

function ucs2Octets(character: string): Buffer {
  return Buffer.from(character, "utf16le").swap16();
}

/** Takes whole characters, so that neither an escape nor a surrogate pair is cut in two. */
function fillParts(characters: Buffer[], limits: { single: number; part: number }): Buffer[] {
  const whole = Buffer.concat(characters);
  if (whole.length <= limits.single) return [whole];
  const parts: Buffer[][] = [[]];
  let size = 0;
  for (const octets of characters) {
    if (size + octets.length > limits.part) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(octets);
    size += octets.length;
  }
  return parts.map((part) => Buffer.concat(part));
}
