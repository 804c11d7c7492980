// Bodies of all kinds: what is right, what is right but for something, and what is nothing.
import type { Dice } from "./dice.ts";

const NASTY: readonly unknown[] = [
  ...[
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\udc00x",
    "💬".repeat(50),
    "\ufeff",
    "\u202eabc",
    "\r\nX-Injected: yes",
  ],
  ...["__proto__", "constructor", "toString", "' OR 1=1 --", "$.x", '"]', "../../etc/passwd", "%00", "{{7*7}}", "<b>"],
  ...[
    "+12125550100",
    "+1",
    "+999999999999999999999",
    "12125550100",
    "1.2E+10",
    "=1+1",
    "x".repeat(5000),
    "null",
    "NaN",
  ],
  ...["https://host.invalid/", "http://10.0.0.1/", "https://é.invalid/💬?#", "javascript:alert(1)", "https://[::1"],
  ...[null, true, false, 0, -0, -1, 1.5, 1e308, 5e-324, 2 ** 53, -(2 ** 63), [], {}, [[]], [null], [{}], { a: {} }],
  JSON.parse('{"__proto__":{"operations":["send"]},"constructor":{"prototype":{}}}'),
];

/** What JSON.stringify never writes. */
const TOKENS = [
  "1e400",
  "-",
  "01",
  "0x1",
  "NaN",
  "Infinity",
  '"\\ud800"',
  '"\\u0000"',
  '"\\x"',
  "'a'",
  "1E+1000",
  ",,",
  "/**/0",
];

export function nasty(dice: Dice): unknown {
  if (dice.chance(0.2)) return dice.text(40);
  return dice.chance(0.02) ? deep(dice) : dice.pick(NASTY);
}

function deep(dice: Dice): unknown {
  let value: unknown = 0;
  const isArray = dice.chance(0.5);
  for (let depth = dice.below(500); depth > 0; depth--) value = isArray ? [value] : { a: value };
  return value;
}

/** The same with some fields replaced, taken away or added, at any depth. */
export function mutate(dice: Dice, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => (dice.chance(0.3) ? mutate(dice, item) : item));
    return dice.chance(0.3) ? [...items, nasty(dice)] : items;
  }
  if (typeof value !== "object" || value === null) return nasty(dice);
  const fields: [string, unknown][] = Object.entries(value);
  const changed = fields.flatMap(([name, inner]): [string, unknown][] => {
    const fate = dice.next();
    if (fate < 0.1) return [];
    if (fate < 0.3) return [[name, nasty(dice)]];
    return [[name, fate < 0.4 ? mutate(dice, inner) : inner]];
  });
  if (dice.chance(0.1)) changed.push([dice.text(10), nasty(dice)]);
  return Object.fromEntries(changed);
}

/** JSON, most often of something that is nearly right. */
export function jsonBody(dice: Dice, right: unknown): string | Buffer {
  const fate = dice.next();
  if (fate < 0.3) return JSON.stringify(right);
  if (fate < 0.75) return JSON.stringify(mutate(dice, right)) ?? "";
  const text = JSON.stringify(dice.chance(0.5) ? right : mutate(dice, right)) ?? "";
  if (fate < 0.85) return withToken(dice, text);
  if (fate < 0.99) return broken(dice, text);
  return huge(dice, text);
}

/** One value, or one place, with a token in it that is no JSON, or hardly. */
function withToken(dice: Dice, text: string): string {
  const token = dice.pick(TOKENS);
  const places = [...text.matchAll(/"[^"]*"(?=[,}\]])|\d+|null|true/g)];
  const place = places.length > 0 ? dice.pick(places) : undefined;
  if (!place) return token;
  return text.slice(0, place.index) + token + text.slice(place.index + place[0].length);
}

function broken(dice: Dice, text: string): string | Buffer {
  const bytes = Buffer.from(text);
  const at = dice.below(bytes.length + 1);
  const ways: (() => string | Buffer)[] = [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), dice.bytes(5), bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(at + 1 + dice.below(4), bytes.length))]),
    () => `\ufeff${text}`,
    () => text + text,
    () => text.replace("{", '{"__proto__":{"suspended":false},"constructor":null,'),
    () => text.replace(/"(\w+)":/, '"$1":null,"$1":'),
    () => dice.bytes(200),
    () => dice.text(100),
    () => "",
  ];
  return dice.pick(ways)();
}

/** Near and beyond the limits of sizes, depths and counts. */
function huge(dice: Dice, text: string): string {
  const ways: (() => string)[] = [
    () => "[".repeat(dice.below(130_000)),
    () => `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    () => '{"a":'.repeat(20_000),
    () => `{"phone_numbers":[${'"+12125550100",'.repeat(dice.below(6000))}""]}`,
    () => `{"messages":[${"0,".repeat(dice.below(2000))}0]}`,
    () => text.replace("{", `{"x":"${"y".repeat(dice.below(140_000))}",`),
    () => `{"text":"${"\\ud83d\\udcac".repeat(dice.below(2000))}"}`,
    () => `{"n":${"9".repeat(dice.below(50_000))}}`,
  ];
  return dice.pick(ways)();
}

const CSV_LINES = [
  ...["+12125550100,ada@example.com,true", "+12125550101,,false", "+12125550102,,maybe", '"+12125550103","a@b.c",""'],
  ...[
    '"unclosed',
    "a,b,c,d,e,f",
    "",
    ",,,",
    "\u0000",
    "+1,2\r+3",
    '"a""b",c',
    "1.2E+10",
    "=cmd|' /C calc'!A0",
    "é,é,é",
  ],
];
const CSV_HEADINGS = [
  "phone_numbers,email,subscribed",
  "phone_numbers",
  "\ufeffphone_numbers;email",
  "x,phone_numbers",
  'sep=;\r\n"a;b\n";phone_numbers;subscribed',
  "phone_numbers\tstatus",
  "",
  '"phone',
];

export function csv(dice: Dice): string | Buffer {
  if (dice.chance(0.1)) return dice.bytes(200);
  const heading = dice.chance(0.7) ? (CSV_HEADINGS[0] ?? "") : dice.pick(CSV_HEADINGS);
  const lines = Array.from({ length: dice.below(20) }, () => (dice.chance(0.1) ? dice.text(20) : dice.pick(CSV_LINES)));
  return [heading, ...lines].join(dice.pick(["\n", "\r\n", "\r"]));
}

/** Base64, most often, of CSV. */
export function csvFile(dice: Dice): unknown {
  const text = Buffer.from(csv(dice)).toString(dice.pick(["base64", "base64url"]));
  const ways = [text, text.replace("=", ""), `${text}=`, `${text}!`, text.slice(0, -1), dice.text(50), nasty(dice)];
  return dice.chance(0.6) ? text : dice.pick(ways);
}
