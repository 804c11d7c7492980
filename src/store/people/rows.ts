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
