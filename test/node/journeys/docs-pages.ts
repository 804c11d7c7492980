// The pages of docs that a service serves, and the documents that they are drawn from.
import { type Document, operationsOf } from "../../../scripts/docs-documents.ts";

export const PAGES = ["/docs", "/docs/operator"];

/** In the order of their pages. */
export const DOCUMENTS = ["/docs/clients.json", "/docs/operator.json"];

export const readDocument = async ({ url }: { url: string }, path: string) =>
  (await (await fetch(`${url}${path}`)).json()) as Document;

/** Those of clients, and of operators. */
export const readDocuments = async (service: { url: string }) =>
  (await Promise.all(DOCUMENTS.map((path) => readDocument(service, path)))) as [Document, Document];

/** The ids of calls and events. */
export const idsOf = ({ paths, webhooks = {} }: Document) =>
  [...operationsOf(paths), ...operationsOf(webhooks)].map(({ operationId }) => operationId);
