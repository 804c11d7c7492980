// Rows of the tables that are about the operation of the service, as D1 returns them.

export interface AuditRow {
  id: number;
  request_id: string;
  stored_at: number;
  operator: string;
  action: string;
  website_id: string | null;
  client_id: string | null;
  subject: string | null;
  before: string | null;
  after: string | null;
  outcome: string | null;
}

export interface LastSweepRow {
  only: 1;
  ended_at: number;
  failed_jobs: string;
  first_ended_at: number;
  alerts_refused_since: number | null;
  alerts_refusal: string | null;
}
