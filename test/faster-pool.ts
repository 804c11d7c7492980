// What @cloudflare/vitest-plugin does again and again, done once. Each test file runs this again, in the same isolate.

const patched = globalThis as unknown as {
  isPatched?: true;
  __vitest_mocker__: { moduleRunner: { vitestOptions: { transport: { resolveId: Resolve } } } };
};

/**
 * The pool wraps the prototype of its class in one more Proxy each time that it makes an object, and all look up the same. After a
 * few thousand objects, the look-ups were a seventh of the time of all tests. The first one is enough.
 */
const ORIGIN = "getUnknownPrototypeKey";
const made = new WeakSet<object>();

function construct(target: ProxyConstructor, [object, handler]: ConstructorParameters<ProxyConstructor>): object {
  if (!handler.get?.toString().includes(ORIGIN)) return new target(object, handler);
  if (made.has(object)) return object;
  const proxy = new target(object, handler);
  made.add(proxy);
  return proxy;
}

type Resolve = (id: string, importer?: string) => Promise<unknown>;

/** For each call of an object, the pool asks another process where the file of its class is. Files stay where they are. */
function once(resolve: Resolve): Resolve {
  const found = new Map<string, unknown>();
  return async (id, importer) => {
    const key = JSON.stringify([id, importer]);
    if (!found.has(key)) found.set(key, await resolve(id, importer));
    return found.get(key);
  };
}

if (!patched.isPatched) {
  globalThis.Proxy = new Proxy(Proxy, { construct });
  const { transport } = patched.__vitest_mocker__.moduleRunner.vitestOptions;
  transport.resolveId = once(transport.resolveId);
}
patched.isPatched = true;
