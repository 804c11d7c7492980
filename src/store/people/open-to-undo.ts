// Rows of the ledger that an undo may take back: those of imports, and those of an operator's decisions on texts.
import { piece, type Sql, sql } from "../sql.ts";
import { isUndoable } from "./imports.ts";

/** Condition on a row `c` of the ledger: an operator has decided that a text was an opt-out, and may take the decision back. */
const IS_DECIDED =
  piece(`(c.source = 'keyword' AND c.subscribed = 0 AND EXISTS (SELECT 1 FROM inbound_texts d INDEXED BY inbound_texts_of_sender
  WHERE d.website_id = c.website_id AND d.sender = '+' || CAST(c.phone AS INTEGER) AND d.decided_opt_out = 1
    AND d.decided_at = c.changed_at AND d.text = c.proof))`);

/**
 * Whether an undo may change a number whose latest row of the ledger is `c`. Then a call that confirms the number, as it is,
 * gets a row of its own, which no undo passes over. An import that only says again that a number is opted out has one. One that only adds
 * a proof of consent has none: its undo would take the confirmation with it.
 */
export const IS_OPEN_TO_UNDO = sql`(c.source = 'undo' OR (c.source = 'import' AND (c.subscribed = 1 OR ${isUndoable("c")})) OR ${IS_DECIDED})`;

/**
 * Condition: the latest row of a number is a decision that may be taken back. Whoever opts the number out then adds a row to the ledger,
 * although the number is opted out: the decision is not the last word any more.
 * @param websiteId of the number, as SQL, and so is `phone`
 */
export const isDecided = (websiteId: Sql, phone: Sql): Sql => sql`EXISTS (SELECT 1 FROM subscription_changes c
  WHERE c.change_id = (SELECT max(change_id) FROM subscription_changes WHERE website_id = ${websiteId} AND phone = ${phone}) AND ${IS_DECIDED})`;
