import { failField, RequestFailure } from "../domain/failure.ts";
import { isE164, PHONE_FORM, toDigits } from "../domain/phone.ts";
import { erase } from "../flows/mark-erased.ts";
import { listInbound, listWithoutEffect } from "../platform/store/inbound.ts";
import { readPerson, removeEmail } from "../platform/store/subscriptions.ts";
import type { ApiRequest, Handler } from "./api-request.ts";
import { changeView, inboundView, personView } from "./operator-views.ts";
import { requireWebsite } from "./operator-websites.ts";

const PAGE = 100;

/** GET /operator/websites/:websiteId/inbound?before=<time> : what people texted, the latest first, 100 at a time. */
export const listInboundHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const before = readTime(request.query.before) ?? Number.MAX_SAFE_INTEGER;
  const texts = await listInbound(deps.db, websiteId, { sender: null, before, limit: PAGE });
  return Response.json({ texts: texts.map(inboundView) });
};

/** GET /operator/inbound/without-effect?before=<time> : texts that reached no website, and keywords that had no effect. */
export const listWithoutEffectHandler: Handler = async (request, deps) => {
  const before = readTime(request.query.before) ?? Number.MAX_SAFE_INTEGER;
  const texts = await listWithoutEffect(deps.db, before, PAGE);
  return Response.json({
    texts: texts.map((row) => ({ websiteId: row.website_id || null, ...inboundView(row) })),
  });
};

function readTime(given: string | string[] | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const time = Date.parse(String(given));
  return Number.isNaN(time) ? failField("before", "must be a time in ISO 8601") : time;
}

/** GET /operator/websites/:websiteId/people/:phone : the state of a number, how it came about, and what it texted. */
export const getPersonHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const phone = requirePhone(request);
  const [found, texts] = await Promise.all([
    readPerson(deps.db, websiteId, toDigits(phone)),
    listInbound(deps.db, websiteId, { sender: phone, before: Number.MAX_SAFE_INTEGER, limit: PAGE }),
  ]);
  if (!found && texts.length === 0) throw new RequestFailure({ kind: "resource-unknown", what: "number" });
  return Response.json({
    ...personView(phone, found?.person),
    changes: (found?.changes ?? []).map(changeView),
    texts: texts.map(inboundView),
  });
};

/** DELETE /operator/websites/:websiteId/people/:phone/email : an import can only replace an address. */
export const removeEmailHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const phone = requirePhone(request);
  if (!(await removeEmail(deps.db, websiteId, toDigits(phone))))
    throw new RequestFailure({ kind: "resource-unknown", what: "number" });
  return Response.json({ phone, email: null });
};

/** DELETE /operator/websites/:websiteId/people/:phone : all about a number goes, but for a mark that keeps it opted out. */
export const erasePersonHandler: Handler = async (request, deps) => {
  const { websiteId } = await requireWebsite(request, deps);
  const phone = requirePhone(request);
  const erasedMessages = await erase(deps, websiteId, phone);
  deps.log("info", "person.erased", { requestId: request.requestId, websiteId, messages: erasedMessages });
  return Response.json({ phone, erasedMessages });
};

/** A number that no numbering plan has any more may still be stored. */
function requirePhone(request: ApiRequest): string {
  const given = (request.params.phone ?? "").replace(/^%2B/i, "+");
  return isE164(given) || PHONE_FORM.test(given)
    ? given
    : failField("phone", "must be an E.164 phone number, such as +12125550100");
}
