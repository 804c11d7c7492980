// The id of a person in addresses of the console, in place of the number, because a browser keeps addresses in its history.
import { Hmac } from "./hmac.ts";
import { decrypt, encrypt, IV_BYTES } from "./secrets.ts";

const PERSON_IDS = "person ids";

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
  const bytes = await encrypt(phone, iv, serviceKey, PERSON_IDS);
  return `p_${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

/** @returns the number; undefined: it was made with another key, or by somebody else */
export async function readPersonId(personId: string, serviceKey: string): Promise<string | undefined> {
  try {
    return await decrypt(Uint8Array.fromBase64(personId.slice(2), { alphabet: "base64url" }), serviceKey, PERSON_IDS);
  } catch {
    return undefined;
  }
}
