// A website whose messages are held.
import { CampaignWorld } from "../../campaign.ts";

export let own: CampaignWorld;

export async function begin(): Promise<void> {
  own = await CampaignWorld.create();
}

interface Answer {
  code?: number;
  message?: string;
  released?: number;
  more?: true;
  ended?: { holdId: string }[];
  remaining?: { holdId: string }[];
  details?: { field: string; message: string }[];
}

export const release = (body: object) => own.call<Answer>("release", body);

export const idsOf = (holds: { holdId: string }[] | undefined) => (holds ?? []).map(({ holdId }) => holdId).toSorted();
