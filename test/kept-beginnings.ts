// What many tests begin with. The Worker makes it once in a process; from then on its rows and keys are put back as they were.
import { env } from "cloudflare:workers";

interface Beginning {
  /** What the one who made it was given. */
  result: unknown;
  /** Statements that insert its rows. */
  rows: string;
  keys: { name: string; value: string; metadata: unknown; expiration: number | undefined }[];
  logs: string[];
}

const beginnings = new Map<string, Beginning>();
/** To read the rows takes as long as to make them: those that come once are not kept. */
const seen = new Set<string>();

/** Larger ones take as long to put back as to make. */
const MOST_CHARACTERS = 50_000;

/**
 * @param name says all that was made in empty stores, in its order
 * @param make the last of it, by the Worker. @param logs what it logs is added here
 * @param isAlone whether nothing else was made beside it
 */
export async function begin<T>(
  name: string,
  logs: string[],
  make: () => Promise<T>,
  isAlone: () => boolean,
): Promise<T> {
  const known = beginnings.get(name);
  if (known) {
    await putBack(known);
    logs.push(...known.logs);
    return structuredClone(known.result) as T;
  }
  const logged = logs.length;
  const result = await make();
  if (!isAlone()) return result;
  if (!seen.has(name)) {
    seen.add(name);
    return result;
  }
  const rows = await readRows();
  if (rows.length <= MOST_CHARACTERS)
    beginnings.set(name, {
      result: structuredClone(result),
      rows,
      keys: await readKeys(),
      logs: logs.slice(logged),
    });
  return result;
}

async function putBack({ rows, keys }: Beginning): Promise<void> {
  const puts = keys.map(({ name, value, metadata, expiration }) =>
    env.CREDENTIALS.put(name, value, { metadata, ...(expiration && { expiration }) }),
  );
  await Promise.all([env.DB.prepare(rows).run(), ...puts]);
}

async function readRows(): Promise<string> {
  // A generated column is none of these: nobody may insert it.
  const { results } = await env.DB.prepare(
    `SELECT t.name, json_group_array(c.name) AS columns FROM sqlite_schema t CROSS JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT IN ('d1_migrations', 'sqlite_sequence') AND t.name NOT LIKE '\\_cf%' ESCAPE '\\'
       GROUP BY 1`,
  ).all<{ name: string; columns: string }>();
  const tables = results.map(({ name, columns }) => ({ name, columns: JSON.parse(columns) as string[] }));
  const found = await env.DB.batch<{ row: string }>(tables.map(selectRows));
  const inserts = found.flatMap(({ results: rows }, index) => {
    const { name, columns = [] } = tables[index] ?? {};
    return rows.map(({ row }) => `INSERT OR REPLACE INTO ${name} (${columns.join(", ")}) VALUES (${row})`);
  });
  return ["PRAGMA defer_foreign_keys = true", ...inserts].join(";\n");
}

function selectRows({ name, columns }: { name: string; columns: string[] }): D1PreparedStatement {
  const values = columns.map((column) => `quote(${column})`).join(" || ', ' || ");
  return env.DB.prepare(`SELECT ${values} AS row FROM ${name}`);
}

async function readKeys(): Promise<Beginning["keys"]> {
  const { keys } = await env.CREDENTIALS.list();
  const read = keys.map(async ({ name, metadata, expiration }) => {
    const value = (await env.CREDENTIALS.get(name)) ?? "";
    return { name, value, metadata, expiration };
  });
  return Promise.all(read);
}
