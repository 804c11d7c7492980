// Pure. The rule for callback URLs: no post may reach a private network (server-side request forgery).
import { surplusOf } from "../well-formed.ts";

/**
 * Cloudflare sends no request to an IP address: it answers 403 itself (error 1003). The URL parser turns every notation of an
 * IPv4 address (decimal, octal, hexadecimal, short, percent-encoded, other digits and dots) into four numbers, so none of them
 * passes for a name. Names are not resolved: DNS may change before the next post.
 * @param allowLocal whether http and loopback are allowed: only while the service itself runs on loopback
 * @returns the broken rule, or undefined
 */
export function validateCallbackUrl(text: string, allowLocal: boolean): string | undefined {
  if (surplusOf(text, 2048) > 0) return "must have at most 2048 characters";
  // The parser strips spaces and control characters, and replaces half of a surrogate pair: the URL that is stored and shown
  // would differ from the URL that is called.
  if (!/^[a-z]+:\/\/[^\s\p{Cc}\p{Cs}\\]+$/iu.test(text) || !URL.canParse(text)) return "must be an absolute https URL";
  const url = new URL(text);
  const host = hostOf(url);
  const local = allowLocal && isLoopback(url);
  if (url.protocol !== "https:" && !(local && url.protocol === "http:")) return "must be an https URL";
  if (url.username !== "" || url.password !== "" || /^[^/]+:\/\/[^/?#]*@/.test(text)) {
    return "must not carry a user name or password";
  }
  if (local) return undefined;
  if (isIpAddress(host)) return "must name a host: Cloudflare sends no request to an IP address";
  if (INTERNAL_NAME.test(host) || !isDomainName(host)) return "must not name a host of a private network";
  return undefined;
}

/** localhost, 127.0.0.0/8, or ::1. */
export function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return host === "localhost" || host === "::1" || (isIpAddress(host) && host.startsWith("127."));
}

/** Without the brackets of IPv6 and a trailing dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, "").replace(/^\[|\]$/g, "");
}

function isIpAddress(host: string): boolean {
  return host.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

/** Names outside the public DNS, by convention or by standard (RFC 6761, 6762, 7686, 8375, 9476; ICANN for the last three). */
const INTERNAL_NAME =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home\.arpa|test|invalid|onion|alt|corp|home|mail)$/;

/** At least two labels, none of them empty: lenient resolvers read `localhost..` as localhost. */
function isDomainName(host: string): boolean {
  const labels = host.split(".");
  return labels.length > 1 && labels.every((label) => label !== "");
}
