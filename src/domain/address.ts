// Pure. Internet addresses of callers, as Cloudflare gives them in CF-Connecting-IP; '' where there is none.

/** What one caller has: an IPv4 address, or the 64 bits of IPv6 within which a caller chooses its addresses. */
export function callerOf(address: string): string {
  return address.includes(":") ? `${firstGroups(address, 4)}::/64` : address;
}

/** Enough to find the network that requests come from, and not the person. */
export function networkOf(address: string): string {
  if (address.includes(":")) return `${firstGroups(address, 3)}::/48`;
  return /^\d+\.\d+\.\d+\.\d+$/.test(address) ? address.replace(/\d+$/, "0/24") : "";
}

function firstGroups(address: string, count: number): string {
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const whole = [...groups, ...new Array<string>(Math.max(0, missing)).fill("0"), ...(tail ? tail.split(":") : [])];
  return whole
    .slice(0, count)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
