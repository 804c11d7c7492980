// Pure. A website's home: a number from 1 on that it keeps for life. Its ids carry the home, and the directory knows in which
// database a home is, so an id alone leads to its database. Ids that belong to no website, such as those of requests, have home 0.

/** 20 bits in an id. */
export const MOST_HOMES = 2 ** 20;

/**
 * A UUID of version 7 (RFC 9562): 48 bits of time, 12 and 8 bits of home around two random ones, and 52 random bits. Ids of one
 * time are neighbors in an index, which grows at its right edge.
 * @param now milliseconds since 1970
 * @param uuid a random one, of version 4
 */
export function newId(home: number, now: number, uuid: string): string {
  const time = now.toString(16).padStart(12, "0");
  const place = home.toString(16).padStart(5, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${place.slice(0, 3)}-${uuid[19]}${place.slice(3)}${uuid.slice(22)}`;
}

/** When an id was made, in milliseconds since 1970. */
export const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const LAST_TIME = 2 ** 48 - 1;

/** What the ids of a time and of later ones come after, in the order of text. @param time in milliseconds since 1970 */
export function firstIdAt(time: number): string {
  const digits = Math.min(Math.max(time, 0), LAST_TIME).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** @param id of a message, or an id that begins with one (an event, a notice) @returns 0 for any other text */
export function homeOf(id: string): number {
  return (id[14] === "7" && Number.parseInt(id.slice(15, 18) + id.slice(20, 22), 16)) || 0;
}
