declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}

declare module "*?raw" {
  const text: string;
  export default text;
}

/** Vite's: the files that fit a pattern, by path. */
interface ImportMeta {
  glob(pattern: string | string[], options: { query: "?raw"; import: "default"; eager: true }): Record<string, string>;
  glob(pattern: string | string[], options: { query: "?raw" }): Record<string, () => Promise<unknown>>;
}

/** What the tests use of it: the types of Node's own would bring in all of Node. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<T> {
    run<R>(store: T, work: () => R): R;
    getStore(): T | undefined;
  }
}
