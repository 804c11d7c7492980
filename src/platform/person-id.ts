// What stands for a person's number in addresses of the console: a browser keeps those in its history.
import { Hmac } from "./hmac.ts";
import { deriveKey } from "./secrets.ts";

const IV_BYTES = 12;

/** The IV, the encrypted number and its tag: in Base64, safe in URLs. */
const FORM = /^p_[\w-]{38,64}$/;

export const isPersonId = (text: string): boolean => FORM.test(text);

/**
 * Encrypts a number (AES-256-GCM). The IV is an HMAC of the number, so a number always has the same id: a list stays the same from look to
 * look. Two ids are the same only if their numbers are, which a list of people shows anyway.
 * @param phone E.164
 */
export async function toPersonId(phone: string, serviceKey: string): Promise<string> {
  const iv = new Hmac(serviceKey).sign(`person ${phone}`).slice(0, IV_BYTES);
  const key = await keyOf(serviceKey);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(phone));
  const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(sealed), IV_BYTES);
  return `p_${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

/** @returns the number; undefined: it was made with another key, or by somebody else */
export async function readPersonId(personId: string, serviceKey: string): Promise<string | undefined> {
  try {
    const bytes = Uint8Array.fromBase64(personId.slice(2), { alphabet: "base64url" });
    const key = await keyOf(serviceKey);
    const iv = bytes.subarray(0, IV_BYTES);
    const phone = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytes.subarray(IV_BYTES));
    return new TextDecoder().decode(phone);
  } catch {
    return undefined;
  }
}

const keyOf = (serviceKey: string) => deriveKey(serviceKey, "person ids");
