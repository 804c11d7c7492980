// What agents have of the tools.
import type { Client } from "@modelcontextprotocol/client";
import { expect } from "vitest";

export const READING = [
  ...[
    "findMessages",
    "findPerson",
    "findPersonId",
    "getAccount",
    "getCampaign",
    "getClient",
    "getMessage",
    "getOverview",
    "getPerson",
  ],
  ...[
    "getReport",
    "getReportOfAll",
    "getServiceState",
    "getWaiting",
    "getWebsite",
    "listAccounts",
    "listAudit",
    "listClientEvents",
    "listDatabases",
  ],
  ...["listDeadJobs", "listHolds", "listImports", "listInbound", "listOperatorSessions"],
  ...["listOperatorTokens", "listSenders", "listSubscribers", "listTexts", "listWebsites", "listWithoutEffect"],
  "readLedger",
];

export async function use(agent: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError = false } = await agent.callTool({ name, arguments: args });
  const [first, mark] = content;
  if (first?.type !== "text" || content.length > 2) throw new Error(`not one text: ${JSON.stringify(content)}`);
  return { isError, text: first.text, mark: mark?.type === "text" ? mark.text : undefined };
}

export const read = async (agent: Client, name: string, args: Record<string, unknown> = {}) => {
  const { isError, text } = await use(agent, name, args);
  expect([name, isError, isError && text]).toEqual([name, false, false]);
  return JSON.parse(text);
};
