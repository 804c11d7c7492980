// Says in the console that its data is made up: once `npm start` has filled the service with its month.
import type { ConsoleSessionAnswer } from "../../../src/domain/operations/session.ts";
import { findWebsite } from "../../../src/store/clients/websites.ts";
import { HARBOR } from "./brands.ts";

/** @param answer of GET /console/session */
export async function markDemo(answer: Response, db: D1Database): Promise<Response> {
  if (!answer.ok) return answer;
  const { session } = await answer.json<ConsoleSessionAnswer>();
  const isDemo = session !== null && (await findWebsite(db, HARBOR.websiteId))?.name === HARBOR.name;
  return Response.json({ session: session && { ...session, ...(isDemo && { isDemo }) } }, answer);
}
