// All that a run has measured; what it was not asked for is undefined.
import type { BulkRow } from "./bulk.ts";
import type { BundleFigures } from "./bundle.ts";
import type { DatabasesFigures } from "./databases/report.ts";
import type { DeliverFigures } from "./deliver.ts";
import type { EdgeFigures } from "./edge/measure.ts";
import type { ImportRow } from "./import.ts";
import type { LimiterFigures } from "./limiter.ts";
import type { PieceRow } from "./pieces.ts";
import type { SingleRow } from "./single.ts";
import type { StatusFigures } from "./status.ts";

export interface Figures {
  /** What other programs took of the machine's CPU time meanwhile, from 0 to 1. */
  othersShare?: number;
  bundle?: BundleFigures;
  send?: SingleRow[];
  /** Requests for one number each. */
  statusOfOne?: SingleRow[];
  status?: StatusFigures;
  bulk?: BulkRow[];
  imports?: ImportRow[];
  limit?: LimiterFigures;
  deliver?: DeliverFigures;
  pieces?: PieceRow[];
  edge?: EdgeFigures;
  databases?: DatabasesFigures;
}
