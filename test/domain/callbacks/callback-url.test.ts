import { describe, expect, it } from "vitest";
import { validateCallbackUrl } from "../../../src/domain/callbacks/callback-url.ts";

describe("a callback URL", () => {
  it.each([
    "https://example.com/callbacks?a=b",
    "https://example.com:8443/",
    "https://8.8.8.8.example.com/",
    "https://xn--e1afmkfd.xn--80akhbyknj4f/",
  ])("may be %s", (url) => {
    expect(validateCallbackUrl(url, false)).toBeUndefined();
  });

  it.each([
    ["http", "http://example.com/"],
    ["no URL", "example.com/callbacks"],
    ["another scheme", "ftp://example.com/"],
    ["a password", "https://user:pass@example.com/"],
    ["localhost", "https://localhost/"],
    ["localhost with a dot", "https://localhost./"],
    ["a name below localhost", "https://a.localhost/"],
    ["a bare name", "https://intranet/"],
    ["a name of a local network", "https://printer.local/"],
    ["a name of a cloud's network", "https://metadata.google.internal/"],
    ["loopback", "https://127.0.0.1/"],
    ["loopback, decimal", "https://2130706433/"],
    ["loopback, octal", "https://0177.0.0.1/"],
    ["loopback, hexadecimal", "https://0x7f.0.0.1/"],
    ["loopback, short", "https://127.1/"],
    ["this network", "https://0.0.0.0/"],
    ["private 10/8", "https://10.1.2.3/"],
    ["private 172.16/12", "https://172.16.0.1/"],
    ["private 172.31", "https://172.31.255.255/"],
    ["private 192.168/16", "https://192.168.1.1/"],
    ["link-local and metadata", "https://169.254.169.254/latest/meta-data"],
    ["carrier-grade NAT", "https://100.64.0.1/"],
    ["multicast", "https://224.0.0.1/"],
    ["broadcast", "https://255.255.255.255/"],
    ["documentation", "https://192.0.2.1/"],
    ["IPv6 loopback", "https://[::1]/"],
    ["IPv6 unspecified", "https://[::]/"],
    ["IPv4-mapped", "https://[::ffff:127.0.0.1]/"],
    ["IPv4-mapped, hexadecimal", "https://[::ffff:a9fe:a9fe]/"],
    ["IPv4-compatible", "https://[::127.0.0.1]/"],
    ["NAT64 of a private address", "https://[64:ff9b::10.0.0.1]/"],
    ["6to4 of a private address", "https://[2002:a00:1::]/"],
    ["IPv6 unique local", "https://[fd00::1]/"],
    ["IPv6 link-local", "https://[fe80::1]/"],
    ["IPv6 multicast", "https://[ff02::1]/"],
    ["IPv6 documentation", "https://[2001:db8::1]/"],
    ["half of a surrogate pair", "https://example.com/\ud83d"],
    ["too long", `https://example.com/${"x".repeat(2048)}`],
  ])("may not be %s", (_, url) => {
    expect(validateCallbackUrl(url, false)).toMatch(/^must /);
  });

  it.each([
    ["public", "https://8.8.8.8/"],
    ["public, with a port", "https://1.1.1.1:8443/callbacks"],
    ["public, decimal", "https://134744072/"],
    ["public, hexadecimal", "https://0x08080808/"],
    ["public, octal and short", "https://010.8.2056/"],
    ["public, with a dot", "https://8.8.8.8./"],
    ["public IPv6", "https://[2606:4700::1111]/"],
    ["public IPv6, mapped", "https://[::ffff:8.8.8.8]/"],
    ["private", "https://10.1.2.3/"],
    ["loopback of a deployed service", "https://127.0.0.1/"],
  ])("may not be an IP address: %s", (_, url) => {
    expect(validateCallbackUrl(url, false)).toBe("must name a host: Cloudflare sends no request to an IP address");
    if (!url.includes("127.")) expect(validateCallbackUrl(url, true)).toMatch(/IP address$/);
  });

  it("may be http and loopback where the service itself runs on loopback, but still no private network", () => {
    for (const url of [
      "http://localhost:3000/",
      "http://127.0.0.1:3000/",
      "http://[::1]:3000/",
      "https://example.com/",
    ]) {
      expect(validateCallbackUrl(url, true)).toBeUndefined();
    }
    for (const url of ["http://10.0.0.1/", "http://example.com/", "https://192.168.1.1/", "https://8.8.8.8/"]) {
      expect(validateCallbackUrl(url, true)).toBeDefined();
    }
  });
});
