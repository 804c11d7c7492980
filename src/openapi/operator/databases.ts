import { databaseAnswers } from "../../http/operator/databases.ts";
import { type ApiOperation, ok } from "../operation.ts";
import type { Resource } from "./resource.ts";
import { DATABASE } from "./service-state.ts";

export function describeDatabases(): Resource {
  const example = { databases: [{ ...DATABASE, websites: 12, schemaVersion: "0022_moves.sql" }] };
  const listDatabases: ApiOperation = {
    ...{ id: "listDatabases", method: "get", path: "/operator/databases", tag: "Service state", access: "operator" },
    summary: "List the databases",
    description: "How large each is, how fast it grows, and how many websites are in it. The first has the directory.",
    answers: [ok(databaseAnswers.DatabaseList, "Every database.", example)],
  };
  return { operations: [listDatabases], schemas: databaseAnswers };
}
