import * as z from "zod";
import { call, ok, type Resource } from "./call.ts";

const ORIGIN = "https://sms.example.com";
const url = z.url();

const read = call({
  id: "welcome",
  method: "GET",
  path: "/",
  tag: "Reference",
  summary: "Find the reference and the liveness check",
  description: "The addresses have the origin of the request.",
  access: "open",
  answers: [
    ok(z.object({ service: z.string(), docs: url, openapi: url, health: url }), "Where they are.", {
      service: "Textgate",
      docs: `${ORIGIN}/docs`,
      openapi: `${ORIGIN}/openapi.json`,
      health: `${ORIGIN}/health`,
    }),
  ],
  // Absolute URLs, which browsers and terminals make links of.
  run: ({ url }) => ({
    service: "Textgate",
    docs: new URL("/docs", url).href,
    openapi: new URL("/openapi.json", url).href,
    health: new URL("/health", url).href,
  }),
});

export const welcome: Resource = { calls: [read], schemas: {} };
