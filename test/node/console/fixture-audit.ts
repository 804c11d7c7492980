import type { AuditEntry } from "../../../console/answers.ts";
import { MARKUP, minutesAgo } from "./fixture-clock.ts";

const entry = (minutes: number, action: AuditEntry["action"], more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: minutesAgo(minutes),
  operator: "ada",
  action,
  websiteId: null,
  clientId: null,
  subject: null,
  before: null,
  after: null,
  outcome: "done",
  requestId: `5f0c5a9e-7d0d-4d6c-9c39-${String(minutes).padStart(12, "0")}`,
  ...more,
});

export const auditEntries: AuditEntry[] = [
  entry(3, "try-carrier", { subject: "kannel" }),
  entry(535, "hold", {
    websiteId: "harbor-coffee",
    after: { sendPurpose: "loyalty-nudge", reason: `wrong text ${MARKUP}` },
  }),
  entry(1500, "put-website", {
    websiteId: "harbor-coffee",
    before: { sender: "+12065550111", helpText: "Call us." },
    after: { sender: "+12065550100", helpText: "Call us." },
  }),
  entry(9000, "end-token", { subject: "linus", outcome: "failed" }),
];
