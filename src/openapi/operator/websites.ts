import { websiteFields } from "../../domain/clients/website.ts";
import { type WebsiteAnswers, websiteAnswers } from "../../http/operator/websites.ts";
import { TIME } from "../examples.ts";
import { type ApiOperation, ok } from "../operation.ts";
import { CHANGE } from "./audit.ts";
import { CLIENT } from "./clients.ts";
import { type Resource, settingsBody, WEBSITE_PARAMETER } from "./resource.ts";

const WEBSITE = {
  websiteId: "brand",
  database: "DB",
  name: "Brand",
  carrier: "sandbox",
  sender: null,
  helpText: "Brand: call 212 555 0199.",
  duplicateWindowHours: 24,
  optOutWords: ["BAJA"],
  holds: [],
  createdAt: TIME,
  updatedAt: TIME,
} satisfies WebsiteAnswers["Website"];

export function describeWebsites(): Resource {
  const withClients = ok(websiteAnswers.WebsiteWithClients, "The website with its clients, without secrets.", {
    ...WEBSITE,
    clients: [CLIENT],
    changes: [CHANGE],
  });
  const common = { tag: "Websites", access: "operator", path: "/operator/websites/{websiteId}" } as const;
  const { name, carrier, helpText, duplicateWindowHours, optOutWords } = WEBSITE;
  const operations: ApiOperation[] = [
    {
      ...common,
      id: "listWebsites",
      method: "get",
      path: "/operator/websites",
      summary: "List the websites",
      description: "In the order of their ids, without their clients.",
      answers: [ok(websiteAnswers.WebsiteList, "Every website.", { websites: [WEBSITE] })],
    },
    {
      ...common,
      id: "putWebsite",
      method: "put",
      summary: "Create a website, or change its settings",
      description:
        'Fields that are left out stay as they are; `""` or null removes an optional setting. A new website needs a `name`, and a `carrier` once one is set up.',
      parameters: [WEBSITE_PARAMETER],
      body: settingsBody(websiteFields, { brand: { name, carrier, helpText, duplicateWindowHours, optOutWords } }),
      answers: [withClients],
    },
    {
      ...common,
      id: "getWebsite",
      method: "get",
      summary: "Read a website and its clients",
      description: "Secrets are never shown again.",
      parameters: [WEBSITE_PARAMETER],
      answers: [withClients],
      errors: ["resource-unknown"],
    },
  ];
  return { operations, schemas: { WebsiteSettings: websiteFields, ...websiteAnswers } };
}
