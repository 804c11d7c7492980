import { PUBLIC_ORIGIN, type Submitted, type TestCarrier, text } from "./test-carrier.ts";

const WEBHOOK_KEY = "webhook-key-of-the-tests";

/** The bits of the receipt's type that it was asked to report. */
const ALL_REPORTS = "31";

/** GSM 03.38 with its extension table. */
const GSM_7 =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿" +
  "abcdefghijklmnopqrstuvwxyzäöñüà\f^{}\\[~]|€";

export const KANNEL_URL = "http://kannel.example.com:13013/cgi-bin/sendsms";

export const kannel: TestCarrier = {
  name: "kannel",
  settings: {
    KANNEL_SENDSMS_URL: KANNEL_URL,
    KANNEL_USERNAME: "textgate",
    KANNEL_PASSWORD: "kannel-password",
    KANNEL_WEBHOOK_KEY: WEBHOOK_KEY,
  },
  senders: ["+12125550000", "12345", "Brand"],
  badSenders: [null, "Brand of too many letters", "+12", "Bränd"],
  carriesMedia: false,
  isSubmission: (request) => request.url.startsWith(KANNEL_URL),
  read: (request, body) => {
    const header = (name: string) => request.headers.get(`x-kannel-${name}`) ?? "";
    const receiptUrl = header("dlr-url");
    const expected: [string, string][] = [
      [request.method, "POST"],
      [request.url, KANNEL_URL],
      [request.headers.get("content-type") ?? "", "text/plain; charset=UTF-8"],
      [header("username"), "textgate"],
      [header("password"), "kannel-password"],
      [header("dlr-mask"), ALL_REPORTS],
      [header("coding"), [...body].every((character) => GSM_7.includes(character)) ? "" : "2"],
      // Kannel corrupts percent-escapes, and knows no others than these three.
      [receiptUrl.replace("%d", "").replace("%A", "").replace("%D", "").includes("%") ? receiptUrl : "", ""],
    ];
    return {
      messageId: new URL(receiptUrl).searchParams.get("m") ?? "",
      to: header("to"),
      from: header("from"),
      text: body,
      mediaUrls: [],
      receiptUrl,
      faults: expected.filter(([given, value]) => given !== value).map(([given, value]) => `${given} is not ${value}`),
    };
  },
  accepts: () => text("0: Accepted for delivery", 202),
  carrierMessageId: null,
  refusals: [
    ["400", () => text("Empty receiver number not allowed, rejected\n", 400), /^kannel: HTTP 400: Empty receiver/],
    ["403, no route", () => text("Not routable. Do not try again.", 403), /^kannel: HTTP 403: Not routable/],
  ],
  unauthorized: [
    ["403, another password", () => text("Authorization failed for sendsms", 403)],
    ["404, no such path", () => text("Unknown request", 404)],
    ["401, from a proxy before it", () => text("", 401)],
  ],
  laters: [
    ["503", () => text("Temporal failure, try again later.", 503), undefined],
    ["429 with retry-after", () => text("", 429, { "retry-after": "9" }), 9],
  ],
  unknowns: [
    ["200, which says nothing", () => text("0: Accepted for delivery", 200)],
    ["504", () => text("", 504)],
  ],
  statuses: {
    "1": "DELIVERED",
    "2": "FAILED_TO_DELIVERY",
    "4": "SENDING",
    "8": "SENDING",
    "9": "DELIVERED",
    "16": "FAILED_TO_DELIVERY",
    "34": "FAILED_TO_DELIVERY",
  },
  sent: "8",
  delivered: "1",
  failed: "2",
  failedReason: /^kannel: undelivered: id:1 sub:001 stat:UNDELIV err:001 to:…00$/,
  receipt: async (submitted, { status }) => receiptHook(submitted, status),
  inbound: async ({ id, from, to, text, more }) => {
    const query = new URLSearchParams({ key: WEBHOOK_KEY, id, from, to, text, ...more });
    return { method: "GET", url: `${PUBLIC_ORIGIN}/carriers/kannel/inbound?${query}`, headers: {} };
  },
  forgeries: async (of, other) => {
    const good = receiptHook(of, "1");
    const changed = (change: (query: URLSearchParams) => void) => {
      const url = new URL(good.url);
      change(url.searchParams);
      return { ...good, url: url.href };
    };
    return [
      ["without a key", changed((query) => query.delete("k"))],
      ["with an empty key", changed((query) => query.set("k", ""))],
      ["with another key", changed((query) => query.set("k", "0".repeat(64)))],
      ["with the inbound key", changed((query) => query.set("k", WEBHOOK_KEY))],
      ["for another message", changed((query) => query.set("m", other.messageId))],
      ["for no message", changed((query) => query.delete("m"))],
      ["as a POST", { ...good, method: "POST", body: "" }],
    ];
  },
};

/** As SMSCs write it: with the person's number, and the beginning of the message. */
const ANSWERS: Record<string, string> = {
  "2": "id:1 sub:001 stat:UNDELIV err:001 to:12125550100 Text:Brand: hello\ntext:",
};

function receiptHook({ receiptUrl }: Submitted, type: string) {
  const answer = encodeURIComponent(ANSWERS[type] ?? "");
  return { method: "GET", url: receiptUrl.replace("%d", type).replace("%A", answer).replace("%D", ""), headers: {} };
}
