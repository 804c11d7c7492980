import type { Handler } from "./api-request.ts";
import { makeDocument } from "./openapi/document.ts";

let text: string | undefined;

/** GET /openapi.json : made when it is first asked for, once an isolate. */
export const openApi: Handler = () => {
  text ??= JSON.stringify(makeDocument());
  return new Response(text, { headers: { "content-type": "application/json" } });
};
