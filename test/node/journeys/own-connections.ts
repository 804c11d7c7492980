/**
 * Gives each request of a journey a connection of its own. `fetch` keeps idle connections for 4 seconds, and workerd for 5: a
 * test process that gets no processor for a second takes up one that workerd is closing, and fails with "other side closed".
 */
const fetchOnAny = globalThis.fetch;

const fetchOnItsOwn: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  headers.set("connection", "close");
  return fetchOnAny(input, { ...init, headers });
};

// Each test file runs this again, and files share processes.
const patched = globalThis as { hasOwnConnections?: true };
if (!patched.hasOwnConnections) globalThis.fetch = fetchOnItsOwn;
patched.hasOwnConnections = true;

export {};
