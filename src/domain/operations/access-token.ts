// Pure. The token by which Cloudflare Access says who has signed in: a JWT (RFC 7519) in the header Cf-Access-Jwt-Assertion.
// https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/
import * as z from "zod";

export const ACCESS_HEADER = "Cf-Access-Jwt-Assertion";

/** Cloudflare's clock may be ahead of ours. A token that has ended is not taken, not even for a second. */
const AHEAD_SECONDS = 60;

const headerSchema = z.object({ alg: z.literal("RS256"), kid: z.string() });

const claimsSchema = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  nbf: z.number().optional(),
  /** A token of a service has none. */
  email: z.string().optional(),
});

type Claims = z.output<typeof claimsSchema>;

export interface AccessToken {
  /** Names the key that signed it. */
  keyId: string;
  claims: Claims;
  /** What is signed. */
  signed: Uint8Array;
  signature: Uint8Array;
}

/** @returns undefined: it is no such token. Its signature is not checked yet */
export function parseAccessToken(jwt: string): AccessToken | undefined {
  const [header = "", claims = "", signature = "", ...others] = jwt.split(".");
  if (others.length > 0) return undefined;
  try {
    return {
      keyId: headerSchema.parse(readJson(header)).kid,
      claims: claimsSchema.parse(readJson(claims)),
      signed: new TextEncoder().encode(`${header}.${claims}`),
      signature: toBytes(signature),
    };
  } catch {
    return undefined;
  }
}

const toBytes = (part: string) => Uint8Array.fromBase64(part, { alphabet: "base64url" });

const readJson = (part: string): unknown =>
  JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(toBytes(part)));

export interface AccessSettings {
  /** `https://` and the domain of the team. */
  issuer: string;
  /** The tag of the application. */
  audience: string;
}

/** @returns undefined: they name somebody who has signed in to this application, and still is */
export function faultOfClaims(
  { iss, aud, exp, nbf = 0, email = "" }: Claims,
  { issuer, audience }: AccessSettings,
  now: number,
): "issuer-wrong" | "audience-wrong" | "expired" | "not-yet-valid" | "without-email" | undefined {
  const seconds = now / 1000;
  if (iss !== issuer) return "issuer-wrong";
  if (![aud].flat().includes(audience)) return "audience-wrong";
  if (exp <= seconds) return "expired";
  if (nbf > seconds + AHEAD_SECONDS) return "not-yet-valid";
  return email === "" ? "without-email" : undefined;
}
