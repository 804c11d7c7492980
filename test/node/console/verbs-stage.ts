// A service whose texts cannot go, and a page of its console that an operator has signed in to.
import type { Page } from "playwright-core";
import { answer, startReceiver } from "../harness/receiver.ts";
import { type Client, operate, type Service, startService } from "../harness/service.ts";
import { openWindow, startBrowser } from "../journeys/browser.ts";

export const KEY = "the-key-of-the-gateway";
export const OURS = "+12125550123";
export const [ADA, BOB, CAROL] = ["+12125550100", "+12125550101", "+12125550102"] as const;

/** Two jobs that have used up their tries: no text is left that they could change. */
const DEAD_JOBS = `INSERT INTO dead_jobs (id, queue, body, died_at, error)
  SELECT 'job-' || value, 'textgate-messages', '{"kind":"deliver","messageIds":["0197c2ab-71d4-7e0b-8a01-00000000000' || value || '"]}',
    ${Date.now()} + value, 'TypeError' FROM json_each('[1, 2]')`;

export interface VerbsStage {
  service: Service;
  page: Page;
  /** Answers 500. */
  endpoint: Awaited<ReturnType<typeof startReceiver>>;
  /** It sends for the website `brand`. */
  client: Client;
  /** Errors and warnings in the browser. */
  complaints: string[];
  stop(): Promise<void>;
}

export async function startVerbs(): Promise<VerbsStage> {
  const endpoint = await startReceiver(answer(500));
  const vars = (url: string) => ({
    ...{ PUBLIC_ORIGIN: url, KANNEL_SENDSMS_URL: "http://127.0.0.1:9/cgi-bin/sendsms", KANNEL_WEBHOOK_KEY: KEY },
    ...{ KANNEL_USERNAME: "textgate", KANNEL_PASSWORD: "password" },
  });
  const service = await startService(vars, ["--databases", "2"], DEAD_JOBS);
  const { url } = service;
  await operate(url, "PUT", "/websites/brand", { name: "Brand", carrier: "kannel", sender: OURS });
  const people = ["phone_numbers", ADA, BOB, CAROL].join("\n");
  await operate(url, "POST", "/websites/brand/subscribers?everyone=subscribed", people);
  const made = await operate(url, "POST", "/websites/brand/clients", { name: "braze", callbackUrl: endpoint.url });
  const { token } = await operate(url, "POST", "/tokens", { name: "ada" });
  const browser = await startBrowser();
  const page = await (await openWindow(browser, { viewport: { width: 1280, height: 900 } })).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${url}/console#/in/${token}`);
  await page.waitForURL(/#\/overview$/);
  const stop = async () => {
    await browser.close();
    await service.stop();
    await endpoint.close();
  };
  return { service, page, endpoint, client: { url, ...made }, complaints, stop };
}
