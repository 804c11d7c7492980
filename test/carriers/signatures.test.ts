/** Requests that the carriers' own libraries accept and refuse are accepted and refused here. */
import { describe, expect, it, vi } from "vitest";
import { makeCarriers } from "../../src/carriers/index.ts";
import { readConfig } from "../../src/config.ts";
import telnyxVectors from "./fixtures/telnyx-signatures.json" with { type: "json" };
import sharedKeyVectors from "./fixtures/twilio-shared-key-signatures.json" with { type: "json" };
import twilioVectors from "./fixtures/twilio-signatures.json" with { type: "json" };

const { ready } = makeCarriers(
  readConfig({
    PUBLIC_ORIGIN: "https://gw.example.com",
    TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000000",
    TWILIO_AUTH_TOKEN: twilioVectors.authToken,
    TELNYX_API_KEY: "KEY",
    TELNYX_PUBLIC_KEY: telnyxVectors.publicKeyBase64,
  }),
);

const at = (seconds: number) => telnyxVectors.timestamp * 1000 + seconds * 1000;

describe("Twilio's signature", () => {
  it.each(twilioVectors.vectors)("$name", async ({ method, url, body, signature, valid }) => {
    const headers = new Headers({ [twilioVectors.header]: signature });
    const request = { method, url: new URL(url), headers, body, now: 0 };
    const kind = valid ? "verified" : "forged";
    expect((await ready.twilio?.readReceipts(request))?.kind).toBe(kind);
    expect((await ready.twilio?.readInbound(request))?.kind).toBe(kind);
  });

  it("of a receipt lets it be read as it was written", async () => {
    const [vector] = twilioVectors.vectors;
    if (!vector) throw new Error("no vector");
    const headers = new Headers({ "x-twilio-signature": vector.signature });
    const request = { method: "POST", url: new URL(vector.url), headers, body: vector.body, now: 0 };
    expect(await ready.twilio?.readReceipts(request)).toEqual({
      kind: "verified",
      reports: [
        {
          messageId: "01J8ZK5T9Q",
          status: "DELIVERED",
          reason: null,
          carrierMessageId: "SM11111111111111111111111111111111",
          optedOut: false,
        },
      ],
    });
  });

  it("of an inbound text lets it be read as it was written, and as answered by Twilio", async () => {
    const vector = twilioVectors.vectors[1];
    if (!vector) throw new Error("no vector");
    const headers = new Headers({ "x-twilio-signature": vector.signature });
    const request = { method: "POST", url: new URL(vector.url), headers, body: vector.body, now: 0 };
    expect(await ready.twilio?.readInbound(request)).toEqual({
      kind: "verified",
      reports: [
        {
          carrierMessageId: "SM22222222222222222222222222222222",
          from: "+15005550006",
          to: ["+15005550001", "MG33333333333333333333333333333333"],
          keyword: "stop",
          text: "Stop & thanks + 👍=1",
          mediaUrls: [],
          answeredByCarrier: true,
          besides: [],
        },
      ],
    });
  });
});

describe("Twilio's signature with a shared key", () => {
  const carrier = (TWILIO_WEBHOOK_SIGNING_KEY: string) =>
    makeCarriers(
      readConfig({
        PUBLIC_ORIGIN: "https://gw.example.com",
        TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000000",
        TWILIO_AUTH_TOKEN: sharedKeyVectors.authToken,
        TWILIO_WEBHOOK_SIGNING_KEY,
      }),
    ).ready.twilio;

  it.each(sharedKeyVectors.vectors)("$name", async ({ method, url, settings, body, signature, valid }) => {
    const headers = new Headers({ [sharedKeyVectors.header]: signature });
    if (settings !== null) headers.set(sharedKeyVectors.settingsHeader, settings);
    const request = { method, url: new URL(url), headers, body, now: 0 };
    const kinds = [carrier(sharedKeyVectors.sharedKey), carrier("")].map(async (of) => [
      (await of?.readReceipts(request))?.kind,
      (await of?.readInbound(request))?.kind,
    ]);
    const kind = valid ? "verified" : "forged";
    expect(await Promise.all(kinds)).toEqual([
      [kind, kind],
      ["forged", "forged"],
    ]);
  });

  it.each(twilioVectors.vectors)("leaves those with the token as they are: $name", async (vector) => {
    const headers = new Headers({ [twilioVectors.header]: vector.signature, [sharedKeyVectors.settingsHeader]: "" });
    const request = { method: vector.method, url: new URL(vector.url), headers, body: vector.body, now: 0 };
    const answer = await carrier(sharedKeyVectors.sharedKey)?.readInbound(request);
    expect(answer?.kind).toBe(vector.valid ? "verified" : "forged");
  });
});

const BODY = "MessageSid=SM1&From=%2B15005550006&To=%2B15005550001&Body=STOP";
const FIELDS = "BodySTOPFrom+15005550006MessageSidSM1To+15005550001";

async function sign(url: string): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", bytes(twilioVectors.authToken), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(url + FIELDS))).toBase64();
}

describe("Twilio's signature of a URL that may be written in several ways", () => {
  const INBOUND = "https://gw.example.com/carriers/twilio/inbound";

  it.each(["'", '"', "<", ">", "`", "%27", "%20", "+", "[x]", "^", "|", "{}", "é", "//", "\\"])(
    "counts as the operator has written it, and as its normal form: %s",
    async (text) => {
      const rawUrl = `${INBOUND}?brand=it${text}s`;
      const url = new URL(rawUrl);
      const request = (signature: string) => ({
        ...{ method: "POST", url, rawUrl, body: BODY, now: 0 },
        headers: new Headers({ [twilioVectors.header]: signature }),
      });
      for (const signed of [rawUrl, url.href]) {
        expect(await ready.twilio?.readInbound(request(await sign(signed)))).toMatchObject({
          kind: "verified",
          reports: [{ carrierMessageId: "SM1", text: "STOP" }],
        });
      }
      for (const signed of [INBOUND, `${rawUrl}x`, rawUrl.replace("it", "its"), ""]) {
        expect((await ready.twilio?.readInbound(request(await sign(signed))))?.kind).toBe("forged");
      }
    },
  );
});

describe("Twilio's signature of a URL with the usual port, or without an unusual one, which its own library takes as well", () => {
  it.each([
    ["https://gw.example.com:8443", "https://gw.example.com"],
    ["https://gw.example.com", "https://gw.example.com:443"],
    ["http://gw.example.com", "http://gw.example.com:80"],
  ])("counts for %s over %s, and over no other", async (origin, signed) => {
    const url = new URL(`${origin}/carriers/twilio/inbound?at=1:2`);
    const kindFor = async (of: string) => {
      const headers = new Headers({ [twilioVectors.header]: await sign(of) });
      return (await ready.twilio?.readInbound({ method: "POST", url, headers, body: BODY, now: 0 }))?.kind;
    };
    const rest = "/carriers/twilio/inbound?at=1:2";
    for (const of of [origin + rest, signed + rest]) expect([of, await kindFor(of)]).toEqual([of, "verified"]);
    for (const other of [
      `${origin.replace(/(:\d+)?$/, ":444")}${rest}`,
      `https://gw.example.org${rest}`,
      signed + rest.replace(":2", ""),
    ])
      expect([other, await kindFor(other)]).toEqual([other, "forged"]);
  });
});

describe("Twilio's signature while a token rotates", () => {
  const carrier = (TWILIO_AUTH_TOKEN: string, TWILIO_SECONDARY_AUTH_TOKEN?: string) =>
    makeCarriers(
      readConfig({
        PUBLIC_ORIGIN: "https://gw.example.com",
        TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000000",
        TWILIO_AUTH_TOKEN,
        TWILIO_SECONDARY_AUTH_TOKEN,
      }),
    ).ready.twilio;
  const [OURS, OTHER] = [twilioVectors.authToken, "f".repeat(32)];

  it.each<[what: string, tokens: [string, string?], accepts: boolean]>([
    ["the first alone", [OURS], true],
    ["the first of two", [OURS, OTHER], true],
    ["the second of two", [OTHER, OURS], true],
    ["the first, the second being empty", [OURS, ""], true],
    ["neither", [OTHER, "e".repeat(32)], false],
    ["an empty second", [OTHER, ""], false],
  ])("may be by %s", async (_, tokens, accepts) => {
    for (const { method, url, body, signature, valid } of twilioVectors.vectors) {
      const headers = new Headers({ [twilioVectors.header]: signature });
      const request = { method, url: new URL(url), headers, body, now: 0 };
      const answer = await carrier(...tokens)?.readReceipts(request);
      expect(answer?.kind).toBe(valid && accepts ? "verified" : "forged");
    }
  });

  it("is not about calls: they are made with the first", async () => {
    const sent = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ sid: "SM1" }));
    const message = { messageId: "m", to: "+1", from: "+1", text: "x", mediaUrl: null, attempt: 1 };
    await carrier(OURS, OTHER)?.submit({ ...message, encoding: "GSM-7" });
    const [[, init] = []] = sent.mock.calls;
    const [, credentials = ""] = new Headers(init?.headers).get("authorization")?.split(" ") ?? [];
    expect(atob(credentials)).toBe(`AC00000000000000000000000000000000:${OURS}`);
    vi.restoreAllMocks();
  });
});

describe("Telnyx's signature", () => {
  const read = async (index: number, seconds: number, change = (body: string) => body) => {
    const { headers, body } = telnyxVectors.vectors[index] as (typeof telnyxVectors.vectors)[number];
    const url = new URL("https://gw.example.com/carriers/telnyx/receipts");
    const request = { method: "POST", url, headers: new Headers(headers), body: change(body), now: at(seconds) };
    return [await ready.telnyx?.readReceipts(request), await ready.telnyx?.readInbound(request)];
  };

  it.each(telnyxVectors.vectors.map(({ name, valid }, index) => ({ name, valid, index })))(
    "$name",
    async ({ valid, index }) => {
      for (const answer of await read(index, 0)) expect(answer?.kind).toBe(valid ? "verified" : "forged");
    },
  );

  it.each([-301, -300, 300, 301])("counts for 5 minutes around its time stamp: %d seconds", async (seconds) => {
    for (const answer of await read(0, seconds))
      expect(answer?.kind).toBe(Math.abs(seconds) > 300 ? "forged" : "verified");
  });

  it("is over the bytes that came, not over what they mean", async () => {
    const again = (body: string) => JSON.stringify(JSON.parse(body));
    for (const answer of await read(1, 0, again)) expect(answer?.kind).toBe("forged");
  });

  it("lets a receipt and an inbound text be read as they were written", async () => {
    expect(await read(0, 0)).toEqual([
      {
        kind: "verified",
        reports: [
          {
            messageId: "01J8ZK5T9Q",
            status: "DELIVERED",
            reason: null,
            carrierMessageId: "40385f64-5717-4562-b3fc-2c963f66afa6",
            optedOut: false,
          },
        ],
      },
      { kind: "verified", reports: [], isOurs: true },
    ]);
    expect(await read(1, 0)).toEqual([
      { kind: "verified", reports: [] },
      {
        kind: "verified",
        reports: [
          {
            carrierMessageId: "7ee4241c-f127-47e5-9c34-3aac291f8058",
            from: "+15005550006",
            to: ["+15005550001", "4000eba1-a0c0-4563-9925-b25e842a7cb6"],
            text: "STOP",
            sentAt: Date.parse("2026-07-01T09:59:59Z"),
            keyword: null,
            mediaUrls: [],
            answeredByCarrier: false,
            besides: [],
          },
        ],
      },
    ]);
  });
});
