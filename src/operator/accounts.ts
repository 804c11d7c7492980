import { ACCOUNT_NAME, type AccountCarrier, accountFields, accountSchema } from "../carriers/account.ts";
import type { Deps } from "../deps.ts";
import { failField } from "../domain/failure.ts";
import { removeAccount, storeAccount, unsealAccount } from "../flows/clients/carrier-accounts.ts";
import { askEach } from "../flows/databases/ask-each.ts";
import { inFirst } from "../flows/databases/places.ts";
import { type ApiRequest, authorOf } from "../http/api-request.ts";
import { BODY_LIMITS, readFields } from "../http/body.ts";
import { inPath, ok, type Resource } from "../http/call.ts";
import { TIME } from "../http/examples.ts";
import { toTime } from "../http/time.ts";
import { findAccount, findWebsitesAt, listAccounts, type StoredAccount } from "../store/clients/accounts.ts";
import { type AccountAnswers, accountAnswers } from "./answers/accounts.ts";
import { operatorCall, settingsBody } from "./operator-call.ts";
import { requireFound } from "./params.ts";

const NAME = inPath("name", "1 to 40 of a–z 0–9 `-`, and no carrier's own name.", "brand-a", {
  pattern: ACCOUNT_NAME.source,
});

const AN_ACCOUNT = {
  ...{ name: "brand-a", carrier: "twilio", settings: { accountSid: "AC0123456789abcdef0123456789abcdef" } },
  ...{ secrets: ["authToken"], isReadable: true, websiteIds: ["brand"], createdAt: TIME, updatedAt: TIME },
  webhooks: {
    receipts: "https://sms.example.com/carriers/twilio/brand-a/receipts",
    inbound: "https://sms.example.com/carriers/twilio/brand-a/inbound",
  },
} satisfies AccountAnswers["Account"];

type Used = Awaited<ReturnType<typeof findWebsitesAt>>[number];

async function accountView(deps: Deps, account: StoredAccount, used: Used[]): Promise<AccountAnswers["Account"]> {
  const { name, carrier, settings, createdAt, updatedAt } = account;
  const { PUBLIC_ORIGIN } = deps.config.carriers;
  const secrets = await unsealAccount(deps, account);
  const websiteIds = used.flatMap(({ carrier: at, websiteId }) => (at === name ? websiteId : [])).sort();
  const base = `${PUBLIC_ORIGIN}/carriers/${carrier}/${name}`;
  return {
    ...{ name, carrier: carrier as AccountCarrier, settings, websiteIds },
    ...{ secrets: Object.keys(secrets ?? {}).sort(), isReadable: secrets !== undefined },
    webhooks: PUBLIC_ORIGIN === undefined ? null : { receipts: `${base}/receipts`, inbound: `${base}/inbound` },
    ...{ createdAt: toTime(createdAt), updatedAt: toTime(updatedAt) },
  };
}

const list = operatorCall({
  id: "listAccounts",
  method: "GET",
  path: "/operator/accounts",
  tag: "Accounts",
  summary: "List the named accounts at carriers",
  description:
    "In the order of their names, without their secrets. The carrier's own name, such as `twilio`, is the account of the environment's settings, and is not among them.",
  answers: [ok(accountAnswers.AccountList, "Every named account.", { accounts: [AN_ACCOUNT] })],
  command: {
    name: "accounts",
    columns: { accounts: ["name", "carrier", "settings", "secrets", "isReadable", "websiteIds"] },
  },
  run: async (_request, deps) => {
    const accounts = await listAccounts(inFirst(deps).db);
    const names = accounts.map(({ name }) => name);
    const { answers, missing } = await askEach(deps, (own) => findWebsitesAt(own.db, names));
    const views = accounts.map((account) => accountView(deps, account, answers.flat()));
    return { accounts: await Promise.all(views), ...missing };
  },
});

const put = operatorCall({
  id: "putAccount",
  method: "PUT",
  path: "/operator/accounts/:name",
  tag: "Accounts",
  summary: "Set up an account at a carrier, or replace its settings",
  description:
    "A website may have the name of the account as its `carrier`. All settings are given at once: those that are left out are removed. The carrier calls the account's own webhooks, and each call is verified by the account's own keys. A change holds everywhere within a minute. To replace a secret, give the new one, and the one before it as `previousAuthToken` or `previousWebhookKey`, until nothing comes any more that it signs.",
  parameters: [NAME],
  body: settingsBody(accountFields, {
    twilio: { carrier: "twilio", accountSid: "AC0123456789abcdef0123456789abcdef", authToken: "the token" },
    telnyx: { carrier: "telnyx", apiKey: "the key", publicKey: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" },
    kannel: {
      ...{ carrier: "kannel", sendsmsUrl: "https://gateway.example.com/cgi-bin/sendsms" },
      ...{ username: "brand-a", password: "the password", webhookKey: "the-key" },
    },
  }),
  answers: [ok(accountAnswers.Account, "The account, without its secrets.", AN_ACCOUNT)],
  command: {
    name: "put-account",
    notes: 'Take secrets from variables, such as --auth-token "$AUTH_TOKEN": the shell keeps a history.',
    next: ({ name, websiteIds }) =>
      websiteIds.length > 0 ? undefined : `No website uses it yet: put-website <websiteId> --carrier ${name}`,
  },
  run: async (request, deps) => {
    const name = request.params.name ?? "";
    if (!ACCOUNT_NAME.test(name)) failField("name", "must be 1 to 40 of a-z, 0-9 and -");
    const given = await readFields(request, accountSchema, BODY_LIMITS.settings);
    return withWebsites(deps, await storeAccount(deps, authorOf(request), name, given));
  },
});

const remove = operatorCall({
  id: "deleteAccount",
  method: "DELETE",
  path: "/operator/accounts/:name",
  tag: "Accounts",
  summary: "Remove an account at a carrier",
  description:
    "Refused while a website has it as its carrier (40001). Receipts of its texts, and inbound texts to its senders, are then refused with 40400.",
  parameters: [NAME],
  answers: [ok(accountAnswers.DeletedAccount, "It is removed.", { name: "brand-a" })],
  errors: ["resource-unknown", "fields-wrong"],
  command: { name: "delete-account", isFinal: true, next: ({ name }) => `The account ${name} is removed.` },
  run: async (request, deps) => {
    const name = request.params.name ?? "";
    await removeAccount(deps, authorOf(request), name);
    return { name };
  },
});

async function readAccount({ params: { name = "" } }: ApiRequest, deps: Deps): Promise<AccountAnswers["Account"]> {
  return withWebsites(deps, requireFound(await findAccount(inFirst(deps).db, name), "account"));
}

async function withWebsites(deps: Deps, account: StoredAccount): Promise<AccountAnswers["Account"]> {
  const { answers } = await askEach(deps, (own) => findWebsitesAt(own.db, [account.name]));
  return accountView(deps, account, answers.flat());
}

const get = operatorCall({
  id: "getAccount",
  method: "GET",
  path: "/operator/accounts/:name",
  tag: "Accounts",
  summary: "Read a named account at a carrier",
  description: "Its secrets are never shown.",
  parameters: [NAME],
  answers: [ok(accountAnswers.Account, "The account, without its secrets.", AN_ACCOUNT)],
  errors: ["resource-unknown"],
  command: { name: "account" },
  run: readAccount,
});

export const accounts: Resource = {
  calls: [list, put, get, remove],
  schemas: { AccountSettings: accountFields, ...accountAnswers },
};
