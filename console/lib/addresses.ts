// Pure. Addresses that several pages need: of pages of the console behind its #, and of calls of the operator's API.
import { toHash } from "./router.ts";

const encode = encodeURIComponent;

/** The messages that a search finds: `purpose:winter-sale status:waiting`. */
export const messagesHash = (search: string): string => toHash(["messages"], { q: search });

export const campaignHash = (websiteId: string, sendPurpose: string): string =>
  toHash(["websites", websiteId, "campaigns", sendPurpose]);

export const personHash = (personId: string): string => toHash(["people", personId]);

export const websitePath = (websiteId: string): string => `/operator/websites/${encode(websiteId)}`;

export const personPath = (personId: string): string => `/operator/people/${encode(personId)}`;

/** The report of one website, or of all websites. */
export const reportPath = (websiteId: string | null | undefined): string =>
  websiteId ? `${websitePath(websiteId)}/report` : "/operator/report";
