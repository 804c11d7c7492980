// Pure. The columns of a file that an operator imports.
import { CsvError } from "./csv.ts";
import { findColumn, listNames } from "./csv-header.ts";
import { refuseStates } from "./state-column.ts";

/** The columns that are read, as the file writes them; null: it lacks the column. */
export interface ColumnsRead {
  phone: string;
  email: string | null;
  subscribed: string | null;
  /** Left out, as the next, where the file lacks it. */
  consentedAt?: string;
  evidence?: string;
}

/** Beside the phone numbers, in the order of the cells. */
export const OTHERS = ["email", "subscribed", "consented_at", "evidence"];

const ADVICE =
  ", and none headed subscribed: name the column subscribed and write true or false in each row, or delete it if everyone in the file has agreed to be texted";

/** @param everyone whether the request says that the file has only people who have agreed. @throws CsvError */
export function checkNames(names: string[], everyone: boolean): void {
  refuseStates(names, ADVICE);
  const says = findColumn(names, "subscribed") !== -1;
  if (says === !everyone) return;
  throw new CsvError(says ? BOTH_SAY : `${NEITHER_SAYS}; it has ${listNames(names)}`, { field: "everyone" });
}

const BOTH_SAY = "must be left out, because the file has a column headed subscribed";

const NEITHER_SAYS =
  "must be subscribed if everyone in the file has agreed to be texted; otherwise add a column headed subscribed with true or false in each row, because the file has no such column";
