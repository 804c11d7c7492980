// A rate limit by its object.
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import type { RateLimiterNamespace } from "../../src/platform/rate-limiter.ts";

export const bound = env.RATE_LIMITER as RateLimiterNamespace;

export function end(): void {
  vi.useRealTimers();
  vi.restoreAllMocks();
}
