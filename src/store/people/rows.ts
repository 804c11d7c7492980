// See src/store/rows.ts.
import type { Keyword } from "../../domain/people/keyword.ts";
import type { WithoutEffect } from "../../domain/people/last-word.ts";
import type { Bit } from "../rows.ts";

export interface InboundTextRow {
  website_id: string;
  carrier: string;
  carrier_message_id: string;
  sender: string;
  recipient: string;
  text: string;
  keyword: Keyword | null;
  maybe_opt_out: Bit;
  decided_opt_out: Bit | null;
  decided_by: string | null;
  decided_at: number | null;
  received_at: number;
  applied: number;
  without_effect: WithoutEffect | null;
}

export interface ImportRow {
  import_id: string;
  website_id: string;
  resubscribes: Bit;
  after_id: number;
  last_id: number;
  undone_to: number | null;
  restored: number;
  changed_since: number;
  file: string | null;
  operator: string;
  begun_at: number;
  undone_at: number | null;
  counted_request: string | null;
  file_rows: number | null;
  kept_unsubscribed: number | null;
  refused: number | null;
  new_subscribed: number | null;
  new_opted_out: number | null;
  became_subscribed: number | null;
  became_opted_out: number | null;
}
