// Pure. Statuses with which Cloudflare itself answers a fetch, as no request has reached the other side. 520, 522 and 524 are not
// among them: they may follow a request that arrived.
// https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/

const UNREACHED: Record<number, string> = {
  521: "connection refused",
  523: "no route to the host",
  525: "TLS handshake failed",
  526: "invalid certificate",
  530: "unknown host, or no tunnel",
};

/** undefined: the other side has answered, or may have. */
export const unreachedBecause = (status: number | null): string | undefined => UNREACHED[status ?? 0];

/** In words, for the operator. */
export function describeStatus(status: number | null): string {
  const cause = unreachedBecause(status);
  return `answered ${status}${cause ? ` (${cause})` : ""}`;
}
