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

const IV_BYTES = 12;

/** Encrypts a secret that must be read again (AES-256-GCM). @returns Base64 of IV and ciphertext */
export async function seal(secret: string, serviceKey: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await deriveKey(serviceKey, CALLBACK_SECRETS);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(secret));
  const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(sealed), IV_BYTES);
  return bytes.toBase64();
}

/** @throws DOMException when it was sealed with another key, or altered */
export async function unseal(sealed: string, serviceKey: string): Promise<string> {
  const bytes = Uint8Array.fromBase64(sealed);
  const key = await deriveKey(serviceKey, CALLBACK_SECRETS);
  const iv = bytes.subarray(0, IV_BYTES);
  const secret = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes.subarray(IV_BYTES));
  return new TextDecoder().decode(secret);
}

const CALLBACK_SECRETS = "callback secrets";

/** By what they are for. */
const derived = new Map<string, { from: string; key: Promise<CryptoKey> }>();

/** @returns a key of AES-256-GCM of its own for each purpose */
export function deriveKey(serviceKey: string, purpose: string): Promise<CryptoKey> {
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
