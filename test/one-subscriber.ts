/** A website with one subscriber, whose client is called back and says thanks: for tests of what is around them. */
import { afterEach, beforeEach, vi } from "vitest";
import { type TestClient, World } from "./world.ts";

export const ADA = "+12125550100";
/** A send request to her. */
export const BODY = { phone: ADA, text: "Brand: hello", callbackData: "{}", sendPurpose: "a" };

export let world: World;
export let client: TestClient;

/** Registers what comes before and after each test. */
export function prepare(): void {
  beforeEach(async () => {
    world = await World.create();
    client = await world.brand([ADA]);
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });
}
