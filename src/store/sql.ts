// A statement of SQL with its values where they are used.

/** What D1 can bind. */
type Value = string | number | null;

/** A statement with the type of its rows, or a piece of one. */
export class Sql<Row = unknown> {
  readonly texts: readonly string[];
  readonly values: readonly (Value | Sql)[];
  /** A type alone: it is never set. */
  declare readonly row?: Row;

  constructor(texts: readonly string[], values: readonly (Value | Sql)[]) {
    this.texts = texts;
    this.values = values;
  }
}

/**
 * ``sql`SELECT 1 FROM messages WHERE message_id = ${id}` ``. A value is bound, and a piece is put in. A list travels as one value: as
 * JSON, for json_each. ``sql<Pick<MessageRow, "status">>`SELECT status …` `` says what runNamed returns: nothing else checks it.
 */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: (Value | Sql)[]): Sql<Row> {
  return new Sql(texts, values);
}

/** A piece without values, such as a condition that several statements share. */
export function piece(text: string): Sql {
  return new Sql([text], []);
}

/** Ready to run. `row` is a type alone, as in Sql. */
export interface Query<Row = unknown> extends D1PreparedStatement {
  readonly row?: Row;
}

/** A value that is named twice, such as a long list, is bound once. */
export function prepare<Row>(db: D1Database, query: Sql<Row>): Query<Row> {
  const values: Value[] = [];
  const place = (value: Value): string => {
    const known = values.indexOf(value);
    return `?${known === -1 ? values.push(value) : known + 1}`;
  };
  const write = (part: Sql): string =>
    part.texts.reduce((written, text, index) => {
      const value = part.values[index - 1] as Value | Sql;
      return written + (value instanceof Sql ? write(value) : place(value)) + text;
    });
  const statement = db.prepare(write(query));
  return values.length > 0 ? statement.bind(...values) : statement;
}
