// An import in several requests.
import { subscriberRow } from "../../subscriber-csv.ts";
import { type TestClient, World } from "../../world.ts";

export let world: World;
export let client: TestClient;

export async function begin(): Promise<void> {
  world = await World.create();
  await world.website("brand");
  client = await world.client("brand");
}

interface Answer {
  importId: string;
  newSubscribed: number;
  code: number;
  message: string;
  details: { field: string; message: string }[];
  import?: { importId: string; storedRows: number };
}

export async function load(rows: string[], query: Record<string, string> = {}, websiteId = "brand") {
  const csv = ["phone_numbers,email,subscribed", ...rows.map(subscriberRow)].join("\n");
  const path = `/websites/${websiteId}/subscribers?${new URLSearchParams(query)}`;
  const answer = await world.operator("POST", path, csv, "text/csv");
  return { status: answer.status, body: (await answer.json()) as Answer };
}

export const undo = async (importId: string) => (await world.operator("POST", `/imports/${importId}/undo`)).json();
