import { generateKeyPairSync, sign } from "node:crypto";

/** ITU-T X.690: a tag, the length, the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const octets = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...octets]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
/** ecdsa-with-SHA256 and commonName, as object identifiers. */
const ALGORITHM = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
const COMMON_NAME = der(0x06, Buffer.from("550403", "hex"));

/**
 * A certificate that nobody has signed but itself, made for each run so that no key lies in the repository: X.509 of version 1
 * (RFC 5280), valid for the year around now.
 */
export function makeSelfSigned(host: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(host)))));
  const year = new Date().getUTCFullYear();
  const time = (at: number) => der(0x18, Buffer.from(`${at}0101000000Z`));
  const unsigned = sequence(
    der(0x02, Buffer.from([1])),
    ALGORITHM,
    name,
    sequence(time(year), time(year + 1)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", unsigned, privateKey));
  const base64 = sequence(unsigned, ALGORITHM, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}
