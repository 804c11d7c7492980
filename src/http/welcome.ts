import type { Handler } from "./api-request.ts";

/** GET / : absolute URLs, which browsers and terminals make links of. */
export const welcomeHandler: Handler = ({ url }) =>
  Response.json({
    service: "Textgate",
    docs: new URL("/docs", url).href,
    openapi: new URL("/openapi.json", url).href,
    health: new URL("/health", url).href,
  });
