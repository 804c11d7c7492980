// Classes of Durable Objects at the platform's price.
import { priceEnv } from "./bindings.ts";
import type { Platform } from "./platform.ts";
import type { EdgeSettings } from "./settings.ts";

// biome-ignore lint/suspicious/noExplicitAny: a class that extends another which it is given must take any arguments.
type ObjectClass = new (...given: any[]) => object;

/** The class with the same methods: what comes to them is an invocation, and its calls cost time and count. */
export function priceObject<C extends ObjectClass>(
  Class: C,
  name: string,
  platform: Platform,
  settings: EdgeSettings,
): C {
  const Priced = class extends Class {
    // biome-ignore lint/suspicious/noExplicitAny: see ObjectClass.
    constructor(...[context, env]: any[]) {
      super(context, priceEnv(env, platform, settings));
    }
  };
  for (const [method, run] of methodsOf(Class)) {
    Object.defineProperty(Priced.prototype, method, {
      value(this: object, ...given: unknown[]) {
        return platform.invokeObject(`object ${name}`, this, () => run.apply(this, given));
      },
    });
  }
  return Priced;
}

type Method = (this: object, ...given: unknown[]) => unknown;

/** Its own and those of the classes that it extends, but not those of the runtime's DurableObject. */
function methodsOf(Class: ObjectClass): Map<string, Method> {
  const methods = new Map<string, Method>();
  let prototype: object = Class.prototype;
  while (Object.getPrototypeOf(Object.getPrototypeOf(prototype)) !== null) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name !== "constructor" && typeof value === "function" && !methods.has(name)) methods.set(name, value);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return methods;
}
