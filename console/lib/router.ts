// Pure. The address of a page stands behind the # of the console's: `#/messages?status=DELIVERED`. It never holds a phone number.

export interface Route {
  /** The parts of the path: `["messages", "5f0c…"]`. */
  path: string[];
  query: Record<string, string>;
}

type Query = Record<string, string | null | undefined>;

export function parseHash(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** @param query what is undefined, null or empty is left out */
export function toHash(path: readonly string[], query: Query = {}): string {
  return pathOf(`#/${path.map(encodeURIComponent).join("/")}`, query);
}

/** An address, with what of the query is given. */
export function pathOf(path: string, query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const words = new URLSearchParams(given).toString();
  return words ? `${path}${path.includes("?") ? "&" : "?"}${words}` : path;
}

/** A hash that somebody has broken by hand leads to a page that does not exist, not to an error. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
