// Pure. Reads what people have texted from Telnyx' event of it.
import * as z from "zod";
import type { Keyword } from "../domain/people/keyword.ts";
import type { InboundText, Verified } from "./carrier.ts";

/** What was texted: a list of numbers and agents of RCS, or one number. Whatever it is, the text counts. */
const toSchema = z
  .union([
    z.string().transform((to) => [to]),
    z
      .array(z.object({ phone_number: z.string().nullish(), agent_id: z.string().nullish() }))
      .transform((list) => list.flatMap(({ phone_number, agent_id }) => phone_number ?? agent_id ?? [])),
  ])
  .catch([]);

/** The text of a message by RCS or WhatsApp, or the words of a button and its payload. */
const bodySchema = z
  .object({
    text: z.union([z.string(), z.object({ body: z.string() }).transform(({ body }) => body)]).nullish(),
    suggestion_response: z
      .object({ text: z.string().nullish(), postback_data: z.string().nullish().catch(null) })
      .nullish(),
  })
  .transform(({ text, suggestion_response: tapped }) => ({
    text: text ?? tapped?.text,
    payload: tapped?.postback_data,
  }))
  .nullish()
  .catch(null);

const oursSchema = z.object({ data: z.object({ payload: z.object({ direction: z.literal("outbound") }) }) });

const inboundSchema = z.object({
  data: z.object({
    payload: z.object({
      id: z.string(),
      direction: z.literal("inbound"),
      from: z.object({ phone_number: z.string() }),
      to: toSchema,
      messaging_profile_id: z.string().nullish(),
      type: z.string().nullish().catch(null),
      text: z.string().nullish(),
      subject: z.string().nullish().catch(null),
      body: bodySchema,
      received_at: z.iso.datetime({ offset: true }).nullish().catch(null),
      /** The auto-response that Telnyx has sent. */
      autoresponse_type: z.unknown().optional(),
      // Whatever it is, the text and its keyword are taken.
      media: z.unknown().optional(),
    }),
  }),
});

function toUrls(media: unknown): string[] {
  return Array.isArray(media) ? media.map((one) => one?.url).filter((url) => typeof url === "string") : [];
}

/**
 * By the auto-response that Telnyx has sent: `STOP` and so on. Its documents also say opt-out, opt-in and help. A profile may have
 * further words for each, in any language. https://developers.telnyx.com/docs/messaging/messages/advanced-opt-in-out
 */
const AUTORESPONSES = new Map<string, Keyword>([
  ["STOP", "stop"],
  ["OPTOUT", "stop"],
  ["START", "start"],
  ["UNSTOP", "start"],
  ["OPTIN", "start"],
  ["HELP", "help"],
  ["INFO", "help"],
]);

/** A profile whose webhook is this one also brings what became of texts that nobody here has sent, such as Telnyx' own answers. */
export function readInbound(event: unknown): Verified<InboundText> {
  const payload = inboundSchema.safeParse(event).data?.data.payload;
  if (payload) return { kind: "verified", reports: [toInbound(payload)] };
  return { kind: "verified", reports: [], isOurs: oursSchema.safeParse(event).success };
}

function toInbound(payload: z.output<typeof inboundSchema>["data"]["payload"]): InboundText {
  const profile = payload.messaging_profile_id;
  const autoresponse = typeof payload.autoresponse_type === "string" ? payload.autoresponse_type.trim() : "";
  return {
    carrierMessageId: payload.id,
    from: payload.from.phone_number,
    to: profile ? [...payload.to, profile] : payload.to,
    text: payload.text || payload.body?.text || payload.subject || "",
    besides: [payload.subject, payload.body?.payload].filter((one) => typeof one === "string"),
    mediaUrls: toUrls(payload.media),
    ...(payload.received_at ? { sentAt: Date.parse(payload.received_at) } : {}),
    keyword: AUTORESPONSES.get(autoresponse.toUpperCase().replaceAll(/[^A-Z]/g, "")) ?? null,
    answeredByCarrier: autoresponse !== "",
    ...(payload.type?.toUpperCase() === "WHATSAPP" ? { isByWhatsApp: true } : {}),
  };
}
