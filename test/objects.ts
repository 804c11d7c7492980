// The real objects of websites and senders, on the clock, the queues and the broken bindings of a test.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Deps } from "../src/deps.ts";
import type { Credentials } from "../src/domain/clients/client.ts";
import type { Taken } from "../src/domain/messages/daily-limit.ts";
import type { Send } from "../src/domain/messages/send.ts";
import { storeGroup } from "../src/flows/messages/store-sends.ts";
import type { KnownClient, RateLimiterNamespace } from "../src/platform/rate-limiter.ts";
import type { SenderNamespace } from "../src/platform/sender-turns.ts";
import type { SenderObject } from "../src/sender-object.ts";
import type { RateLimiter } from "../src/website-object.ts";
import { strictObjects, strictSenders } from "./strict/bindings.ts";

const ADMITTED = { admitted: true, remaining: 299, resetMilliseconds: 1000 } as const;

/** Objects that admit every request at once, for tests that the limit would hide the rest of. */
export function objectsWithoutLimit(deps: () => Deps): RateLimiterNamespace {
  const send = async (send: Send) => ({ admission: ADMITTED, stored: (await storeGroup(deps(), [send]))[0] });
  const object = { admit: async () => ADMITTED, learn: async () => {}, isStoring: async () => false, send };
  return strictObjects({ getByName: () => object } as unknown as RateLimiterNamespace);
}

/** The objects that tests have called. */
const called = new Map<string, DurableObjectStub>();

function call<T>(kind: string, name: string, stub: T): T {
  called.set(`${kind} ${name}`, stub as unknown as DurableObjectStub);
  return stub;
}

/** Deletes what the objects that tests have called hold, in storage and in memory. */
export async function emptyObjects(): Promise<void> {
  const stubs = [...called.values()];
  called.clear();
  await Promise.all(stubs.map(emptyObject));
}

async function emptyObject(stub: DurableObjectStub): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) => storage.deleteAll());
  await evictDurableObject(stub);
}

export function objectsOn(deps: () => Deps): RateLimiterNamespace {
  const bound = env.RATE_LIMITER as RateLimiterNamespace;
  /** The class of the objects: where a test file has mocks, its own import is another. */
  let Class: typeof RateLimiter | undefined;
  const getByName = (name: string) => {
    const stub = call("website", name, bound.getByName(name));
    const onTheTest = async () => {
      Class ??= await runInDurableObject(stub as unknown as DurableObjectStub, classOf);
      Class.makeDeps = deps;
    };
    const send = async (send: Send, client: KnownClient) => {
      await onTheTest();
      return stub.send(send, client);
    };
    return {
      admit: (client: KnownClient) => stub.admit(client),
      learn: (changed: Credentials[]) => stub.learn(changed),
      isStoring: (messageId: string) => stub.isStoring(messageId),
      take: async (texts: number, dailyLimit: number) => {
        await onTheTest();
        return stub.take(texts, dailyLimit);
      },
      giveBack: (taken: Taken) => stub.giveBack(taken),
      textsUsed: async () => {
        await onTheTest();
        return stub.textsUsed();
      },
      send,
    };
  };
  return strictObjects({ getByName } as unknown as RateLimiterNamespace);
}

export function sendersOn(now: () => number): SenderNamespace {
  const getByName = (name: string) => {
    const stub = call("sender", name, (env.SENDERS as SenderNamespace).getByName(name));
    const ask = async (...given: Parameters<SenderObject["ask"]>) => {
      const Class = await runInDurableObject(stub as unknown as DurableObjectStub, classOfSender);
      Class.now = now;
      return stub.ask(...given);
    };
    return { ask };
  };
  return strictSenders({ getByName } as unknown as SenderNamespace);
}

const classOfSender = (object: unknown) => (object as SenderObject).constructor as typeof SenderObject;
const classOf = (object: unknown) => (object as RateLimiter).constructor as typeof RateLimiter;
