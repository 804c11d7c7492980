// Inbound texts for websites that are on the move wait in the first database. A queue would not keep their order, and the later of a
// STOP and a START counts.
import type { InboundText } from "../../carriers/carrier.ts";
import { runBatch, runQuery } from "../database.ts";
import { prepare, sql } from "../sql.ts";

export interface WaitingText {
  id: number;
  websiteId: string;
  home: number;
  carrier: string;
  inbound: InboundText;
  /** Milliseconds since 1970. */
  receivedAt: number;
}

/** A carrier may deliver a text twice. */
export async function insertWaitingText(directory: D1Database, text: Omit<WaitingText, "id">): Promise<void> {
  const { websiteId, home, carrier, inbound, receivedAt } = text;
  await runBatch(directory, [
    prepare(
      directory,
      sql`INSERT INTO waiting_texts (website_id, home, carrier, carrier_message_id, inbound, received_at)
        VALUES (${websiteId}, ${home}, ${carrier}, ${inbound.carrierMessageId}, ${JSON.stringify(inbound)}, ${receivedAt})
        ON CONFLICT DO NOTHING`,
    ),
  ]);
}

/** In the order in which they came. */
export async function listWaitingTexts(directory: D1Database, after: number, limit: number): Promise<WaitingText[]> {
  const query = prepare(
    directory,
    sql`SELECT id, website_id AS websiteId, home, carrier, inbound, received_at AS receivedAt FROM waiting_texts
      WHERE id > ${after} ORDER BY id LIMIT ${limit}`,
  );
  const rows = await runQuery<Omit<WaitingText, "inbound"> & { inbound: string }>(query);
  return rows.map((row) => ({ ...row, inbound: JSON.parse(row.inbound) as InboundText }));
}

export async function deleteWaitingText(directory: D1Database, id: number): Promise<void> {
  await runBatch(directory, [prepare(directory, sql`DELETE FROM waiting_texts WHERE id = ${id}`)]);
}
