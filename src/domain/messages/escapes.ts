// Pure. Words as a reader sees them: what stands for another character in JSON, a URL or HTML is that character, and tags are nothing.

const NAMED: Record<string, string> = {
  ...{ quot: '"', apos: "'", laquo: "«", raquo: "»", lsaquo: "‹", rsaquo: "›", ldquo: "“", rdquo: "”", bdquo: "„" },
  ...{
    lsquo: "‘",
    rsquo: "’",
    sbquo: "‚",
    nbsp: " ",
    amp: "&",
    lt: "<",
    gt: ">",
    shy: "",
    zwnj: "",
    ndash: "–",
    mdash: "—",
  },
};

const ESCAPED = new RegExp(
  [
    /&#(?<decimal>\d{1,7});/,
    /&#x(?<entity>[0-9a-f]{1,6});/,
    /&(?<name>[a-z]{2,8});/,
    /\\u(?<unit>[0-9a-f]{4})/,
    /\\u\{(?<point>[0-9a-f]{1,6})\}/,
    /\\x(?<byte>[0-9a-f]{2})/,
    /\\(?<sign>["'\\/])/,
    /(?<percent>(?:%[0-9a-f]{2})+)/,
    /(?<tag><\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);

/** What is escaped may be escaped again. */
const MOST_TIMES = 4;

export function withoutEscapes(text: string): string {
  let plain = text;
  for (let time = 0; time < MOST_TIMES; time++) {
    const next = plain.replace(ESCAPED, (escaped, ...rest) => meaningOf(escaped, rest.at(-1)));
    if (next === plain) break;
    plain = next;
  }
  return plain.toWellFormed();
}

function meaningOf(escaped: string, groups: Record<string, string | undefined>): string {
  const { decimal, name, sign, percent, tag } = groups;
  const hex = groups.entity ?? groups.unit ?? groups.point ?? groups.byte;
  if (hex !== undefined) return toCharacter(escaped, Number.parseInt(hex, 16));
  if (decimal !== undefined) return toCharacter(escaped, Number(decimal));
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? escaped;
  if (percent !== undefined) return decodePercent(percent);
  return tag === undefined ? (sign ?? escaped) : "";
}

/** Halves of a surrogate pair come one after the other. */
const toCharacter = (escaped: string, code: number): string => (code > 0x10ffff ? escaped : String.fromCodePoint(code));

function decodePercent(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}
