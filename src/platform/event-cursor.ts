// The cursor of a client's events. Places are numbers of the whole database, so one that can be read tells how much other websites do.
import { Hmac } from "./hmac.ts";
import { decrypt, encrypt, IV_BYTES } from "./secrets.ts";

const CURSORS = "event cursors";

/** The IV, the encrypted place and its tag. */
const FORM = /^[\w-]{58}$/;

/** Every place has as many digits, so that the length of a cursor tells nothing. */
const PLACE_DIGITS = 15;

/**
 * Encrypts a place (AES-256-GCM). The IV is an HMAC of client and place: an answer without events repeats the cursor that it was asked with,
 * and the cursor of another client is not this one.
 * @param place the number of the last event that the client has read; 0: none
 */
export async function toEventCursor(clientId: string, place: number, serviceKey: string): Promise<string> {
  const iv = new Hmac(serviceKey).sign(`events ${clientId} ${place}`).slice(0, IV_BYTES);
  const bytes = await encrypt(String(place).padStart(PLACE_DIGITS, "0"), iv, serviceKey, CURSORS);
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** @returns the place; undefined: the cursor is another client's, was made with another key, or was changed */
export async function readEventCursor(
  clientId: string,
  cursor: string,
  serviceKey: string,
): Promise<number | undefined> {
  if (!FORM.test(cursor)) return undefined;
  try {
    const place = Number(await decrypt(Uint8Array.fromBase64(cursor, { alphabet: "base64url" }), serviceKey, CURSORS));
    return (await toEventCursor(clientId, place, serviceKey)) === cursor ? place : undefined;
  } catch {
    return undefined;
  }
}
