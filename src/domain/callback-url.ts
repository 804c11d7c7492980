// Pure. Where a callback may be posted to.

/**
 * What is wrong with a callback URL, or undefined. The URL parser has already made one form of every way to write an
 * IPv4 address (decimal, octal, hexadecimal, short), so the ranges below see them all.
 * @param allowLocal http and loopback are allowed: only where the service itself runs on loopback
 */
export function callbackUrlFault(text: string, allowLocal: boolean): string | undefined {
  if (text.length > 2048) return "must have at most 2048 characters";
  if (!URL.canParse(text)) return "must be an absolute https URL";
  const url = new URL(text);
  const host = url.hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "");
  const local = allowLocal && isLoopback(host);
  if (url.protocol !== "https:" && !(local && url.protocol === "http:")) return "must be an https URL";
  if (url.username !== "" || url.password !== "") return "must not carry a user name or password";
  if (!local && isInternal(host)) return "must not name a private, loopback or link-local address";
  return undefined;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** Names that resolve inside a network, by convention or by standard (RFC 6761, RFC 6762, RFC 8375). */
const INTERNAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|corp|home)$/;

function isInternal(host: string): boolean {
  if (host.includes(":")) return isInternalIpv6(host);
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isInternalIpv4(host.split(".").map(Number));
  return INTERNAL_NAME.test(host) || !host.includes(".");
}

/** Ranges that are not reachable from the internet at large: RFC 6890 and its successors. */
function isInternalIpv4([a = 0, b = 0, c = 0]: number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b <= 127;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b <= 31;
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99);
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100);
  return a === 203 && b === 0 && c === 113;
}

/** Only global unicast (2000::/3) is reachable, and in it not what wraps an IPv4 address or serves documentation. */
function isInternalIpv6(host: string): boolean {
  const groups = expandIpv6(host);
  const [first = 0, second = 0] = groups;
  const embedded = (high: number, low: number) => isInternalIpv4([high >> 8, high & 255, low >> 8, low & 255]);
  if (first === 0x64 && second === 0xff9b) return embedded(groups[6] ?? 0, groups[7] ?? 0);
  if (first === 0x2002) return embedded(second, groups[2] ?? 0);
  if (first === 0x2001) return second < 0x200 || second === 0xdb8;
  return first < 0x2000 || first > 0x3fff;
}

function expandIpv6(host: string): number[] {
  const [head = "", tail] = host.split("::");
  const parse = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const start = parse(head);
  if (tail === undefined) return start;
  const end = parse(tail);
  return [...start, ...new Array<number>(8 - start.length - end.length).fill(0), ...end];
}
