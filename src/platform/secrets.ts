import { joinBytes } from "../domain/join-bytes.ts";

/** SHA-256 of a text, as lower-case hex. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

/** Whether two hashes of the same length are equal, in a time that does not depend on where they differ. */
export function equalHashes(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  return crypto.subtle.timingSafeEqual(encoder.encode(a), encoder.encode(b));
}

/** @returns lower-case hex */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

/** A secret to sign callbacks with, in the form of Standard Webhooks: `whsec_` and 32 random bytes in Base64. */
export function newCallbackSecret(): string {
  return `whsec_${crypto.getRandomValues(new Uint8Array(32)).toBase64()}`;
}

/** HMAC-SHA-256, as lower-case hex. */
export async function hmacHex(key: string, text: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", encoder.encode(key), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, encoder.encode(text))).toHex();
}

export const IV_BYTES = 12;

/** Encrypts a text (AES-256-GCM). @param purpose see deriveKey @returns the IV, and the encrypted text with its tag */
export async function encrypt(
  text: string,
  iv: Uint8Array,
  serviceKey: string,
  purpose: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await deriveKey(serviceKey, purpose);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text));
  return joinBytes(iv, new Uint8Array(sealed));
}

/** Reads what `encrypt` has made. @throws DOMException when it was encrypted with another key, or altered */
export async function decrypt(bytes: Uint8Array, serviceKey: string, purpose: string): Promise<string> {
  const key = await deriveKey(serviceKey, purpose);
  const iv = bytes.subarray(0, IV_BYTES);
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes.subarray(IV_BYTES)));
}

/** Encrypts a secret that must be read again. @returns Base64 of IV and ciphertext */
export async function seal(secret: string, serviceKey: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  return (await encrypt(secret, iv, serviceKey, CALLBACK_SECRETS)).toBase64();
}

/** @throws DOMException when it was sealed with another key, or altered */
export async function unseal(sealed: string, serviceKey: string): Promise<string> {
  return decrypt(Uint8Array.fromBase64(sealed), serviceKey, CALLBACK_SECRETS);
}

const CALLBACK_SECRETS = "callback secrets";

/** By what they are for. */
const derived = new Map<string, { from: string; key: Promise<CryptoKey> }>();

/** @returns a key of AES-256-GCM of its own for each purpose */
function deriveKey(serviceKey: string, purpose: string): Promise<CryptoKey> {
  const known = derived.get(purpose);
  if (known?.from === serviceKey) return known.key;
  const key = hkdf(serviceKey, purpose);
  derived.set(purpose, { from: serviceKey, key });
  return key;
}

async function hkdf(serviceKey: string, purpose: string): Promise<CryptoKey> {
  const encoder = new TextEncoder();
  const material = await crypto.subtle.importKey("raw", encoder.encode(serviceKey), "HKDF", false, ["deriveKey"]);
  const parameters = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: encoder.encode(purpose),
  };
  return crypto.subtle.deriveKey(parameters, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}
