// Dead jobs and databases. answers.ts says how to read this.

/** GET /operator/dead-jobs?before=, as today. */
export interface DeadJobList {
  deadJobs: {
    id: string;
    queue: string;
    body: unknown;
    diedAt: string;
    error: string | null;
    putBackAt: string | null;
  }[];
}

/** GET /operator/databases, as today. */
export interface DatabaseList {
  databases: {
    database: string;
    status: "ok" | "away" | "unmigrated" | "unbound";
    bytes: number | null;
    limitBytes: number;
    bytesPerDay: number | null;
    daysLeft: number | null;
    websites: number;
    schemaVersion: string | null;
  }[];
}
