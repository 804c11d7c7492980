import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { log } from "../src/log.ts";
import { seal, unseal } from "../src/platform/secrets.ts";
import { dumpStores } from "./stores.ts";
import { OPERATOR_TOKEN, type TestClient, World } from "./world.ts";

const PHONE = "+12125550100";
const EMAIL = "ada@example.com";
const TEXT = "A text for nobody else";

let world: World;

beforeEach(async () => {
  world = await World.create();
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a secret", () => {
  it("is in no store, no log line and no answer but the one that issued it", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("thanks"));
    const printed: string[] = [];
    for (const level of ["log", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation((line) => printed.push(String(line)));
    }
    world.deps = { ...world.deps, log };
    world.logEachRequest();
    const client = await world.brand([`${PHONE},${EMAIL}`]);
    const rotated = (await (
      await world.operator("POST", `/clients/${client.clientId}/rotate`, {})
    ).json()) as TestClient;
    await world.send(client, { phone: PHONE, text: TEXT });
    await world.send({ ...client, clientSecret: rotated.clientSecret }, { email: EMAIL, text: TEXT });
    await world.post("/text/message/send", { ...client, clientSecret: "0".repeat(64) }, {});
    await world.post("/text/message/send", client, `{"text":"${TEXT}"`);
    await world.runQueues();
    world.advance(1);
    await world.sweep();
    const answers = await Promise.all(
      ["/websites", "/websites/brand"].map(async (path) => (await world.operator("GET", path)).text()),
    );
    const secrets = [client.clientSecret, client.callbackSecret, rotated.clientSecret, rotated.callbackSecret].flatMap(
      (secret) => [secret, secret.replace("whsec_", "")],
    );
    const stores = await dumpStores(world);
    expect(stores).toContain(client.clientId);
    expect(printed.join()).toContain("messages.accepted");
    for (const secret of [...secrets, OPERATOR_TOKEN, "service-key-of-the-tests"]) {
      expect(stores).not.toContain(secret);
      expect(printed.join()).not.toContain(secret);
      expect(answers.join()).not.toContain(secret);
    }
    for (const personal of [PHONE, PHONE.slice(1), EMAIL, TEXT]) expect(printed.join()).not.toContain(personal);
  });

  it("that is sealed comes back with the same key only, and never looks the same twice", async () => {
    const sealed = await seal("whsec_secret", "key");
    expect(await unseal(sealed, "key")).toBe("whsec_secret");
    expect(await seal("whsec_secret", "key")).not.toBe(sealed);
    await expect(unseal(sealed, "another key")).rejects.toThrow();
    const altered = Uint8Array.fromBase64(sealed);
    altered[20] = (altered[20] ?? 0) ^ 1;
    await expect(unseal(altered.toBase64(), "key")).rejects.toThrow();
  });
});
