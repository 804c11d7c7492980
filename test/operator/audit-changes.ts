import { expect } from "vitest";
import type { TestClient, World } from "../world.ts";

export const ADA = "+12125550100";
const CALLBACKS = "https://brand.example.com/callbacks/a-key?key=of-theirs";

export interface Change {
  route: string;
  path?: string;
  body?: unknown;
  type?: string;
  entry: object;
}

/** One of each changing call, with what the audit log has of it. Its path is that of the route, with the parameters filled in. */
export function changesBy(world: World, client: TestClient): Change[] {
  const brand = { websiteId: "brand", clientId: null, subject: null, before: null };
  const nothing = { websiteId: null, clientId: null, before: null };
  const ours = { websiteId: "brand", clientId: client.clientId, subject: null };
  return [
    {
      route: "PUT /operator/websites/:websiteId",
      body: { helpText: "Call us.", name: "brand" },
      entry: {
        ...brand,
        action: "put-website",
        before: { helpText: null },
        after: { helpText: "Call us." },
      },
    },
    {
      route: "PUT /operator/websites/:websiteId",
      path: "/operator/websites/new-one",
      body: { name: "New", carrier: "sandbox" },
      entry: { ...brand, websiteId: "new-one", action: "put-website", after: { name: "New", carrier: "sandbox" } },
    },
    {
      route: "POST /operator/websites/:websiteId/clients",
      body: { callbackUrl: CALLBACKS, operations: ["send"] },
      entry: {
        ...brand,
        clientId: expect.stringMatching(/^[0-9a-f]{32}$/),
        action: "create-client",
        after: { callbackUrl: "https://brand.example.com", operations: ["send"], suspended: false },
      },
    },
    {
      route: "PATCH /operator/clients/:clientId",
      body: { suspended: true, callbackUrl: "https://other.example.com/a-key" },
      entry: {
        ...ours,
        action: "change-client",
        before: { suspended: false, callbackUrl: "https://brand.example.com" },
        after: { suspended: true, callbackUrl: "https://other.example.com" },
      },
    },
    {
      route: "POST /operator/clients/:clientId/rotate",
      body: { graceSeconds: 60 },
      entry: { ...ours, action: "rotate-client", before: null, after: { oldPairEndsAt: world.now + 60_000 } },
    },
    {
      route: "POST /operator/clients/:clientId/test-event",
      entry: {
        ...{ ...ours, action: "test-event", before: null },
        after: { eventId: expect.stringMatching(/^test_/), outcome: "answered", httpStatus: 200 },
      },
    },
    {
      route: "POST /operator/clients/:clientId/test-text",
      body: { phone: ADA, text: "Hello from us." },
      entry: {
        ...{ ...ours, action: "test-text", subject: "+…00", before: null },
        after: { messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      },
    },
    {
      route: "POST /operator/websites/:websiteId/hold",
      body: { sendPurpose: "sale", reason: "wrong link" },
      entry: {
        ...brand,
        action: "hold",
        after: { holdId: expect.any(String), sendPurpose: "sale", clientId: null, reason: "wrong link" },
      },
    },
    {
      route: "POST /operator/websites/:websiteId/release",
      body: { sendPurpose: "sale" },
      entry: {
        ...brand,
        action: "release",
        after: { holds: [{ holdId: expect.any(String), sendPurpose: "sale", clientId: null }], released: 0 },
      },
    },
    {
      route: "POST /operator/websites/:websiteId/cancel",
      body: { clientId: client.clientId },
      entry: {
        ...brand,
        action: "cancel",
        after: { sendPurpose: null, clientId: client.clientId, cancelled: 1 },
      },
    },
    {
      route: "POST /operator/messages/:messageId/cancel",
      entry: {
        ...{ ...brand, action: "cancel-message", subject: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        after: { cancelled: 1 },
      },
    },
    {
      route: "POST /operator/websites/:websiteId/subscribers",
      body: `phone_numbers,subscribed\n${ADA},1\n+12125550101,1\n+1,1\n`,
      type: "text/csv",
      entry: {
        ...{ ...brand, subject: expect.stringMatching(/^[0-9a-f-]{36}$/), action: "import" },
        after: { imported: 2, newSubscribed: 1, becameSubscribed: 0, unchanged: 1, keptUnsubscribed: 0, invalid: 1 },
      },
    },
    {
      route: "POST /operator/imports/:importId/undo",
      entry: {
        ...{ ...brand, subject: expect.stringMatching(/^[0-9a-f-]{36}$/), action: "undo-import" },
        after: { restored: 1, changedSince: 0 },
      },
    },
    {
      route: "POST /operator/inbound/decide",
      body: { websiteId: "brand", carrier: "sandbox", carrierMessageId: "in-1", optOut: true },
      entry: { ...brand, action: "decide-inbound", subject: "+…00", after: { optOut: true } },
    },
    {
      route: "DELETE /operator/websites/:websiteId/people/:phone/email",
      entry: { ...brand, action: "remove-email", subject: "…00", after: null },
    },
    {
      route: "PUT /operator/accounts/:name",
      path: "/operator/accounts/brand-a",
      body: { carrier: "twilio", accountSid: "AC1", authToken: "a secret token" },
      entry: { ...nothing, action: "put-account", subject: "brand-a", after: { accountSid: "AC1" } },
    },
    {
      route: "DELETE /operator/accounts/:name",
      path: "/operator/accounts/brand-b",
      entry: { ...nothing, action: "delete-account", subject: "brand-b", after: null },
    },
    {
      route: "POST /operator/people/:phone/reachable",
      entry: { ...nothing, action: "reachable", subject: "…00", after: null },
    },
    {
      route: "DELETE /operator/websites/:websiteId/people/:phone",
      entry: { ...brand, action: "erase-person", subject: "+…00", after: { messages: 1 } },
    },
    {
      route: "DELETE /operator/people/:phone",
      entry: { ...brand, action: "erase-person", subject: "+…00", after: { messages: 1 } },
    },
    {
      route: "PUT /operator/senders/:carrier/:sender",
      path: "/operator/senders/sandbox/%2B12125550199",
      body: { messagesPerMinute: 60, messagesPerDay: null },
      entry: {
        ...{ ...nothing, action: "set-sender", subject: "sandbox +12125550199" },
        ...{ before: { messagesPerMinute: null }, after: { messagesPerMinute: 60 } },
      },
    },
    {
      route: "POST /operator/carriers/:carrier/try",
      entry: { ...nothing, action: "try-carrier", subject: "sandbox", after: { due: 0 } },
    },
    {
      route: "POST /operator/dead-jobs/:jobId/put-back",
      entry: { ...nothing, action: "put-back", after: { requeued: 1, unreadable: 0 } },
    },
    {
      route: "POST /operator/dead-jobs/put-back",
      entry: { ...nothing, action: "put-back", subject: null, after: { requeued: 1, unreadable: 0, left: 0 } },
    },
    {
      route: "POST /operator/tokens",
      body: { name: "ada", graceSeconds: 60 },
      entry: {
        ...nothing,
        action: "create-token",
        subject: "ada",
        after: { role: "operator", othersEndAt: world.now + 60_000 },
      },
    },
    {
      route: "DELETE /operator/tokens/:name",
      path: "/operator/tokens/bob",
      entry: { ...nothing, action: "end-token", subject: "bob", after: { which: "all" } },
    },
    {
      route: "DELETE /operator/sessions/:sessionId",
      entry: {
        ...{ ...nothing, action: "end-session", subject: expect.stringMatching(/^[0-9a-f-]{36}$/) },
        after: { of: "cleo" },
      },
    },
    {
      route: "POST /operator/people/:personId/reveal",
      entry: { ...nothing, action: "reveal", subject: "+…00", after: null },
    },
  ];
}
