// The pages of docs that a service serves, and the document that they are made from.
import { callsOf, type Document, isForOthers } from "../../../scripts/reference/document.ts";

export const PAGES = ["/docs", "/docs/operator"] as const;

export const readDocument = async ({ url }: { url: string }) =>
  (await (await fetch(`${url}/openapi.json`)).json()) as Document;

/** The calls and events of a page. */
export const callsOfPage = (document: Document, path: (typeof PAGES)[number]) =>
  callsOf(document).filter((call) => isForOthers(call) === (path === "/docs/operator"));

/** The ids of a page's HTML, in its order. */
export const idsIn = (page: string) => [...page.matchAll(/<[^>]* id="([^"]+)"/g)].map(([, id = ""]) => id);
