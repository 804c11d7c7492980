/** What the bench uses of it. Node's own types would bring all of Node into the check of src/, which must not use it. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<T> {
    run<R>(store: T, work: () => R): R;
    getStore(): T | undefined;
  }
}
