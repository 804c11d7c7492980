// Pure. The rule for callback URLs: no post may reach a private network (server-side request forgery).

/**
 * The URL parser normalizes every notation of an IPv4 address (decimal, octal, hexadecimal, short, percent-encoded, other
 * digits and dots), so the ranges below catch them all. Names are not resolved: DNS may change before the next post.
 * @param allowLocal whether http and loopback are allowed: only while the service itself runs on loopback
 * @returns the broken rule, or undefined
 */
export function validateCallbackUrl(text: string, allowLocal: boolean): string | undefined {
  if (text.length > 2048) return "must have at most 2048 characters";
  // The parser strips spaces and control characters: the URL that is stored and shown would differ from the URL that is called.
  if (!/^[a-z]+:\/\/[^\s\p{Cc}\\]+$/iu.test(text) || !URL.canParse(text)) return "must be an absolute https URL";
  const url = new URL(text);
  const host = hostOf(url);
  const local = allowLocal && isLoopback(url);
  if (url.protocol !== "https:" && !(local && url.protocol === "http:")) return "must be an https URL";
  if (url.username !== "" || url.password !== "" || /^[^/]+:\/\/[^/?#]*@/.test(text)) {
    return "must not carry a user name or password";
  }
  if (!local && isInternal(host)) return "must not name a private, loopback or link-local address";
  return undefined;
}

/** localhost, 127.0.0.0/8, or ::1. */
export function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return host === "localhost" || host === "::1" || (isIpv4(host) && host.startsWith("127."));
}

/** Without the brackets of IPv6 and a trailing dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "");
}

function isIpv4(host: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

/** Names outside the public DNS, by convention or by standard (RFC 6761, 6762, 7686, 8375, 9476; ICANN for the last three). */
const INTERNAL_NAME =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home\.arpa|test|invalid|onion|alt|corp|home|mail)$/;

function isInternal(host: string): boolean {
  if (host.includes(":")) return isInternalIpv6(host);
  if (isIpv4(host)) return isInternalIpv4(host.split(".").map(Number));
  return INTERNAL_NAME.test(host) || !isDomainName(host);
}

/** Two labels or more, and none empty: a lenient resolver reads `localhost..` as localhost. */
function isDomainName(host: string): boolean {
  const labels = host.split(".");
  return labels.length > 1 && labels.every((label) => label !== "");
}

/** Ranges that are not globally reachable: RFC 6890 and its successors. */
function isInternalIpv4([a = 0, b = 0, c = 0]: number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b <= 127;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b <= 31;
  if (a === 192) return b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99);
  if (a === 198) return b === 18 || b === 19 || (b === 51 && c === 100);
  return a === 203 && b === 0 && c === 113;
}

/**
 * Only global unicast (2000::/3) is reachable, without protocol assignments and Teredo (2001::/23), documentation (2001:db8::/32,
 * 3fff::/20) and 6to4 (2002::/16). All other forms that embed an IPv4 address (mapped, compatible, NAT64) lie outside 2000::/3.
 */
function isInternalIpv6(host: string): boolean {
  const [first = 0, second = 0] = expandIpv6(host);
  if (first === 0x2001) return second < 0x200 || second === 0xdb8;
  if (first === 0x2002) return true;
  if (first === 0x3fff) return second < 0x1000;
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
