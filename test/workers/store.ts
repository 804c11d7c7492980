// The database of the service beside it, for a program that looks into it while the service works: Miniflare's own way to the
// database stops the program until it is answered, and workerd stops until the program reads its log, so that both stop for ever.

/** wrangler.toml names it for every Worker that is started with it. */
export { SenderObject } from "../../src/sender-object.ts";
export { RateLimiter } from "../../src/website-object.ts";

export default {
  async fetch(request, { DB }) {
    const { sql, values } = await request.json<{ sql: string; values: unknown[] }>();
    const statement = DB.prepare(sql).bind(...values);
    return statement.all().then(
      ({ results }) => Response.json(results),
      (error) => new Response(String(error), { status: 500 }),
    );
  },
} satisfies ExportedHandler<Env>;
