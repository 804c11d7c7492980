// Steps of a look at the messages of websites.

/** Where a look at the messages of a website goes on, and how many of them it takes. */
export interface Place {
  websiteId: string;
  /** `next` of the look before; `""`: the first. */
  after: string;
  limit: number;
}

/** What a look has found. */
export interface Looked<Found> {
  found: Found;
  /** How many messages it has looked at. */
  count: number;
  /** null: there are no others. */
  next: string | null;
}

/** How many were looked at, and where the next look begins. */
export function endOf(rows: { count: number; last: string }[], limit: number): Omit<Looked<unknown>, "found"> {
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  const last = rows.reduce((latest, row) => (row.last > latest ? row.last : latest), "");
  return { count, next: count === limit ? last : null };
}
