import type { Deps } from "../../deps.ts";
import type { AuditEntry, Author } from "../../domain/operations/audit.ts";
import { describeError } from "../../platform/describe-error.ts";
import { beginAudit, endAudit } from "../../store/operations/audit.ts";

/**
 * Runs a change that is more than one transaction. If the audit log cannot be written, nothing is changed. A change that is cut off, or
 * whose end cannot be written, stays in the log without an outcome.
 * @param toAfter what the log has of the result
 */
export async function audited<T>(
  deps: Deps,
  author: Author,
  entry: AuditEntry,
  work: () => Promise<T>,
  toAfter: (result: T) => Record<string, unknown>,
): Promise<T> {
  const { db } = deps;
  await beginAudit(db, author, entry, deps.now());
  const end = async (outcome: "done" | "failed", after: AuditEntry["after"]) => {
    try {
      await endAudit(db, author.requestId, outcome, after);
    } catch (error) {
      deps.log("error", "audit.not-ended", { requestId: author.requestId, outcome, error: describeError(error) });
    }
  };
  try {
    const result = await work();
    await end("done", { ...entry.after, ...toAfter(result) });
    return result;
  } catch (error) {
    await end("failed", null);
    throw error;
  }
}
