/**
 * @cloudflare/vitest-pool-workers wraps the prototype of its class in one more Proxy each time that it makes an object, and all
 * look up the same. After a few thousand objects, the look-ups were a seventh of the time of all tests. The first one is enough.
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

// Each test file runs this again, in the same isolate.
const patched = globalThis as { hasOneProxy?: true };
if (!patched.hasOneProxy) globalThis.Proxy = new Proxy(Proxy, { construct });
patched.hasOneProxy = true;
