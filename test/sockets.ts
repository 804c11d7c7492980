// In place of cloudflare:sockets for the Worker under test: see vitest.config.ts.
import { connect as connectInWorkerd } from "cloudflare:sockets";

/** What `connect` does now: a test file may replace it, and puts it back. */
export const sockets = { connect: connectInWorkerd };

export const connect: typeof connectInWorkerd = (address, options) => sockets.connect(address, options);
