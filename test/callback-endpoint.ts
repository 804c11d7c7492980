import { vi } from "vitest";

const thank = () => new Response("thanks");

/**
 * The endpoints of all clients, in place of `fetch`.
 * @param answer to a post
 * @returns the ids of the events that were posted, in order
 */
export function takeCallbacks(answer: (signal: AbortSignal) => Response | Promise<Response> = thank): string[] {
  const posts: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    posts.push(new Headers(init?.headers).get("webhook-id") ?? "");
    return answer(init?.signal as AbortSignal);
  });
  return posts;
}
