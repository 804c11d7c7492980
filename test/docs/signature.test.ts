import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import callbacks from "../../docs/callbacks.md?raw";

const [, section = ""] = callbacks.split("## A signature by hand\n");

/** A line of the worked example. */
function line(name: string): string {
  return new RegExp(`^ {4}${name} +(.+)$`, "m").exec(section)?.[1] ?? "";
}

const [secret, id, timestamp, body] = ["secret", "webhook-id", "webhook-timestamp", "raw body"].map(line) as [
  string,
  string,
  string,
  string,
];

it("is what a library of Standard Webhooks makes", () => {
  const signature = new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), body);
  expect(line("webhook-signature")).toBe(signature);
});

it("is what its sentence says", async () => {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = Uint8Array.fromBase64(secret.replace("whsec_", ""));
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const digest = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  expect(line("webhook-signature")).toBe(`v1,${new Uint8Array(digest).toBase64()}`);
});
