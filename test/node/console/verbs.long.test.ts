/** Each verb of the console once, pressed in a browser on a service: its effect in the store, and its entry in the audit log. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, operate, type Service, send, sweep } from "../harness/service.ts";
import { hasBrowser } from "../journeys/browser.ts";
import { ADA, BOB, CAROL, KEY, OURS, startVerbs, type VerbsStage } from "./verbs-stage.ts";

interface Entry {
  action: string;
  operator: string;
  outcome: string;
}

describe.skipIf(!hasBrowser)("in the console of a service", () => {
  let stage: VerbsStage;
  let service: Service;
  let page: Page;
  let endpoint: VerbsStage["endpoint"];
  let client: Client;

  const read = (path: string) => operate(service.url, "GET", path);
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  const go = async (address: string) => {
    await page.goto("about:blank");
    await page.goto(`${service.url}/console#/${address}`);
    await page.locator("h1").waitFor();
  };
  const isTold = (words: string | RegExp) => page.locator(".toast").getByText(words).waitFor();

  /** Does it, and expects exactly these entries of the operator that is signed in, beside those of who was looked up. */
  async function audited(actions: string[], act: () => Promise<void>): Promise<void> {
    const before = (await read("/audit?by=ada")).entries as Entry[];
    await act();
    const { entries } = (await read("/audit?by=ada")) as { entries: Entry[] };
    const fresh = entries.slice(0, entries.length - before.length).filter(({ action }) => action !== "look-up");
    expect(fresh.map(({ action, outcome }) => [action, outcome])).toEqual(actions.map((action) => [action, "done"]));
  }

  /** It cannot be sent: the gateway does not answer. */
  const wait = (phone: string, text: string, sendPurpose: string) => send(client, { phone, text, sendPurpose });

  beforeAll(async () => {
    stage = await startVerbs();
    ({ service, page, endpoint, client } = stage);
  });

  afterAll(async () => {
    await stage?.stop();
    expect(stage.complaints).toEqual([]);
  });

  it("texts are held at one press, let go by its Undo, held again, and released after a question", async () => {
    await wait(ADA, "one", "winter-sale");
    await wait(BOB, "two", "winter-sale");
    await expect.poll(async () => (await read("/waiting")).groups[0]?.rows[0]?.count).toBe(2);
    const holds = async () => (await read("/holds")).holds;
    await audited(["release", "hold"], async () => {
      await go("waiting");
      await button("Hold: winter-sale").click();
      await isTold("2 texts of winter-sale are held.");
      expect(await holds()).toMatchObject([
        { sendPurpose: "winter-sale", clientId: client.clientId, by: "ada", texts: 2 },
      ]);
      await button("Undo").click();
      await isTold(/^The hold has ended\./);
    });
    expect(await holds()).toEqual([]);
    // A hold that the page has not made: by purpose alone, as the shell makes it.
    const { holdId } = await operate(service.url, "POST", "/websites/brand/hold", { sendPurpose: "winter-sale" });
    await audited(["release"], async () => {
      await go("waiting");
      await button("Release…: winter-sale").click();
      await button("Release 2 texts").click();
      // One of the two may be on its way by itself once the hold is gone.
      await isTold(/(go|goes) now\.$/);
    });
    expect(await holds()).toEqual([]);
    await expect(operate(service.url, "POST", "/websites/brand/release", { holdId })).rejects.toThrow("no such hold");
  });

  it.each([
    [
      "a campaign without a text",
      "websites/brand/campaigns/autumn-sale",
      "Hold: autumn-sale",
      "autumn-sale",
      "autumn-sale",
    ],
    ["a website", "websites/brand", "Hold all: Brand", "all of Brand", null],
  ])("%s is held on its page, and released there", async (_, address, label, scope, sendPurpose) => {
    await audited(["release", "hold"], async () => {
      await go(address);
      await button(label).click();
      // The two that wait are of another campaign.
      await isTold(sendPurpose ? /^No text of autumn-sale waits: those that come/ : /texts? of Brand (is|are) held\.$/);
      expect((await read("/holds")).holds).toMatchObject([{ sendPurpose, clientId: null, by: "ada" }]);
      await button(`Release…: ${scope}`).click();
      await button(sendPurpose ? "End the hold" : /^Release \d texts?$/).click();
      await isTold(sendPurpose ? "The hold of autumn-sale has ended." : /of all of Brand goe?s? now\.$/);
    });
    expect((await read("/holds")).holds).toEqual([]);
  });

  it("the carrier is tried from a message", async () => {
    const { messageId } = await wait(CAROL, "three", "login-code");
    await expect.poll(async () => (await read(`/messages/${messageId}`)).carrier).toBe("kannel");
    await audited(["try-carrier"], async () => {
      await go(`messages/${messageId}`);
      await button("Try kannel now").click();
      await isTold(/kannel/);
    });
    await audited(["cancel-message"], async () => {
      await button("Cancel this text…").click();
      await button("Cancel this text").click();
      await isTold("The text is cancelled.");
    });
    expect(await read(`/messages/${messageId}`)).toMatchObject({ status: "FAILED_TO_SEND", reason: "CANCELLED" });
  });

  it("many texts are cancelled, with their name typed", async () => {
    await audited(["cancel"], async () => {
      await go("waiting");
      await button("Cancel…: winter-sale").click();
      await page.keyboard.type("winter-sale");
      await button("Cancel 2 texts").click();
      await isTold("2 texts of winter-sale are cancelled.");
    });
    expect((await read("/messages?website=brand&reason=CANCELLED")).messages).toHaveLength(3);
    expect((await read("/waiting")).groups).toEqual([]);
  });

  it("a website is made, and its settings are changed, and changed back", async () => {
    await audited(["put-website"], async () => {
      await go("websites/new");
      await page.getByLabel("Id", { exact: true }).fill("harbor");
      await page.getByLabel("Name", { exact: true }).fill("Harbor");
      await page.getByLabel("Carrier and sender").selectOption("sandbox");
      await button("Make the website").click();
      await isTold("Harbor is made.");
    });
    await audited(["put-website", "put-website"], async () => {
      await go("websites/harbor");
      await page.getByLabel("Frequency cap").fill("3");
      await page.getByLabel("Hours of the cap").fill("24");
      await button("Save this change").click();
      await isTold(/at most 3 in 24 hours/);
      expect(await read("/websites/harbor")).toMatchObject({
        frequencyCap: { count: 3, hours: 24 },
        carrier: "sandbox",
      });
      await button("Undo").click();
      await expect.poll(async () => (await read("/websites/harbor")).frequencyCap).toBeNull();
    });
  });

  it("a client is made, suspended, let send again, given other secrets and another endpoint", async () => {
    const clients = async () => (await read("/websites/harbor")).clients;
    await audited(["create-client"], async () => {
      await go("websites/harbor");
      await button("New client").click();
      await page.getByLabel("Name", { exact: true }).last().fill("shop");
      await button("Make the client").click();
      await button("I have kept them").click();
    });
    expect(await clients()).toMatchObject([{ name: "shop", suspended: false }]);
    await audited(["change-client", "change-client"], async () => {
      await button("Suspend…: shop").click();
      await button("Suspend shop").click();
      await isTold(/is refused/);
      expect(await clients()).toMatchObject([{ suspended: true }]);
      await button("Let it send again: shop").click();
      await isTold(/can send again/);
    });
    await audited(["rotate-client"], async () => {
      const [{ secrets }] = await clients();
      await button("Rotate secret…: shop").click();
      await button("Make new secrets").click();
      await button("I have kept them").click();
      expect((await clients())[0].secrets.map(({ endsIn }: { endsIn: string }) => endsIn)).toContain(secrets[0].endsIn);
    });
    await audited(["change-client"], async () => {
      await button("Add an endpoint…: shop").click();
      await page.getByLabel("URL", { exact: true }).fill(`${endpoint.url}/other`);
      await button("Change the endpoint").click();
      await isTold(/^Callbacks of shop go to/);
    });
    expect(await clients()).toMatchObject([{ callbackUrl: `${endpoint.url}/other` }]);
  });

  it("a test event is posted, and its answer is shown", async () => {
    await audited(["test-event"], async () => {
      await go("websites/brand");
      await button("Send a test event: braze").click();
      await page.getByText(/^Not taken: 500 in/).waitFor();
    });
    expect(endpoint.received.map(({ body }) => JSON.parse(body).eventType)).toContain("test");
  });

  it("a test text is accepted, and reaches nobody who has not asked for texts", async () => {
    await audited(["test-text"], async () => {
      await go("websites/brand");
      await button("Test text…: braze").click();
      await page.getByLabel("Number", { exact: true }).fill("+1 212 555 0199");
      await button("Send the text").click();
      await page.waitForURL(/#\/messages\/[0-9a-f-]{36}$/);
    });
    const id = page.url().split("/").at(-1);
    await expect.poll(async () => (await read(`/messages/${id}`)).status).toBe("NOT_FOUND");
    expect(await read(`/messages/${id}`)).toMatchObject({ sendPurpose: "test-text", text: "Hello from Textgate." });
    expect(endpoint.received.filter(({ body }) => body.includes(String(id)))).toEqual([]);
    await go(`websites/brand/clients/${client.clientId}?callback=none`);
    await page.getByRole("link", { name: "NOT_FOUND" }).waitFor();
  });

  it("texts of today that did not arrive are found by these words", async () => {
    await operate(service.url, "PUT", "/websites/pier", { name: "Pier", carrier: "sandbox" });
    const people = ["+12125550001", "+12125550002", "+12125550003"];
    const file = ["phone_numbers", ...people].join("\n");
    await operate(service.url, "POST", "/websites/pier/subscribers?everyone=subscribed", file);
    const made = await operate(service.url, "POST", "/websites/pier/clients", { name: "till" });
    const pier = { url: service.url, ...made } as Client;
    for (const phone of people) await send(pier, { phone, text: "Hello", sendPurpose: "news" });
    const lost = async () => (await read("/messages?website=pier&outcome=notArrived")).messages;
    await expect.poll(async () => (await lost()).length, { timeout: 20_000 }).toBe(2);
    await go("messages?q=website:pier");
    await page.locator("#search-messages").fill("did not arrive today");
    await page.keyboard.press("Enter");
    await button("Without outcome: not-arrived").waitFor();
    await button("Without after: today").waitFor();
    const rows = page.getByLabel("Messages, newest first").locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    expect((await rows.allInnerTexts()).join(" ")).toMatch(/Undelivered[\s\S]*Not sent|Not sent[\s\S]*Undelivered/);
  });

  it("people are imported after a look, and the import is undone", async () => {
    const csv = Buffer.from("phone_numbers,subscribed\n+12125550110,1\n+12125550111,1\n123,1\n");
    // The head of the file goes alone at first, so that the import has an id before a row is stored.
    await audited(["import", "import"], async () => {
      await go("import?website=harbor");
      await page.getByLabel("File").setInputFiles({ name: "till.csv", mimeType: "text/csv", buffer: csv });
      await button("Look at it").click();
      await button("Import the 2 good rows").click();
      await page.getByText("Imported to Harbor.").waitFor();
    });
    expect((await read("/websites/harbor/subscribers")).total).toBe(2);
    await audited(["undo-import"], async () => {
      await button("Undo…: till.csv").click();
      await button("Undo the import").click();
      await isTold(/2 people are as before/);
    });
    expect((await read("/websites/harbor/subscribers")).total).toBe(0);
    await sweep(service.url);
    const { days } = (await read("/overview?website=harbor")) as { days: { joined: number; parted: number }[] };
    const total = (of: "joined" | "parted") => days.reduce((sum, day) => sum + day[of], 0);
    expect([total("joined"), total("parted")]).toEqual([2, 2]);
  });

  it("one person is added by hand with the proof of their consent, opted out, and both taken back", async () => {
    const DORA = "+12125550188";
    const at = async () => (await read(`/people/${encodeURIComponent(DORA)}`)).websites[0];
    const undo = async () => {
      await go("import?website=harbor");
      await button("Undo…: by hand").first().click();
      await button("Undo the import").click();
      await isTold(/1 person is as before/);
    };
    await audited(["undo-import", "undo-import", "import", "reveal", "import"], async () => {
      await go("people?website=harbor");
      await button("Add a person…").click();
      await page.getByLabel("Number", { exact: true }).fill("+1 212 555 0188");
      await page.getByLabel("When they agreed").fill("2026-11-02T18:04");
      await page.getByLabel("How they agreed").fill('paper form 118, "store 14"');
      await button("Subscribe them").click();
      await isTold(/^They are subscribed to Harbor\./);
      expect(await at()).toMatchObject({
        ...{ websiteId: "harbor", subscribed: true },
        changes: [{ source: "import", evidence: 'paper form 118, "store 14"', consentedAt: expect.any(String) }],
      });
      await button("Opt out…: Harbor").click();
      await page.getByRole("heading", { name: "Opt +1 212 555 0188 out of Harbor?" }).waitFor();
      await button("Opt them out").click();
      await isTold("They are opted out of Harbor.");
      await expect.poll(() => button("Opt out…: Harbor").count()).toBe(0);
      expect(await at()).toMatchObject({ subscribed: false, optedOutByPerson: false });
      await undo();
      expect(await at()).toMatchObject({ subscribed: true });
      await undo();
    });
    expect((await read("/websites/harbor/subscribers")).total).toBe(0);
  });

  it("a text that may be an opt-out is decided", async () => {
    const query = new URLSearchParams({ key: KEY, from: BOB, to: OURS, text: "please stop this", id: "1" });
    expect((await fetch(`${service.url}/carriers/kannel/inbound?${query}`)).status).toBe(200);
    await audited(["decide-inbound"], async () => {
      await go("conversations?show=decide");
      await button("Opt them out: please stop this").click();
      await isTold("This person gets no more texts of this website.");
    });
    const { websites } = await read(`/people/${encodeURIComponent(BOB)}`);
    expect(websites).toContainEqual(expect.objectContaining({ websiteId: "brand", subscribed: false }));
  });

  it("whoever has said STOP is not added by hand", async () => {
    const query = new URLSearchParams({ key: KEY, from: BOB, to: OURS, text: "STOP", id: "stop-1" });
    expect((await fetch(`${service.url}/carriers/kannel/inbound?${query}`)).status).toBe(200);
    await go("people?website=brand");
    await button("Add a person…").click();
    await page.getByLabel("Number", { exact: true }).fill(BOB);
    await page.getByLabel("When they agreed").fill("2026-11-02T18:04");
    await page.getByLabel("How they agreed").fill("at the till");
    await button("Subscribe them").click();
    await page.getByText("They have opted out themselves: only their START brings them back.").waitFor();
    await button("Add nobody").click();
    const { websites } = await read(`/people/${encodeURIComponent(BOB)}`);
    expect(websites).toContainEqual(expect.objectContaining({ websiteId: "brand", subscribed: false }));
  });

  it("a person is shown, exported and erased", async () => {
    await audited(["reveal"], async () => {
      await go("people");
      await page.locator("#search").fill(CAROL);
      await page.keyboard.press("Enter");
      await page.waitForURL(/#\/people\/(?!\?)/);
      await page.locator("h1").getByRole("button").click();
      await page.getByText("+1 212 555 0102").first().waitFor();
    });
    await audited(["reveal"], async () => {
      const [file] = await Promise.all([page.waitForEvent("download"), button("Export all").click()]);
      expect(file.suggestedFilename()).toBe("person.json");
    });
    // One for the website, and one for texts that reached none.
    await audited(["erase-person", "erase-person"], async () => {
      await button("Erase…").click();
      await page.keyboard.type("02");
      await button("Erase this person").click();
      await isTold(/is erased, with 1 text\./);
    });
    expect((await fetch(`${service.url}/operator/people/${encodeURIComponent(CAROL)}`)).status).toBe(401);
    await expect(read(`/people/${encodeURIComponent(CAROL)}`)).rejects.toThrow("There is no such number.");
  });

  it("a token is made and ended", async () => {
    await audited(["create-token"], async () => {
      await go("audit");
      await button("New token").click();
      await page.getByLabel("Whose is it?").fill("vera");
      await page.getByLabel("What may they do?").selectOption("viewer");
      await button("Make the token").click();
      await button("I have kept it").click();
    });
    expect((await read("/tokens")).tokens).toContainEqual(expect.objectContaining({ name: "vera", role: "viewer" }));
    await audited(["end-token"], async () => {
      await button("End…: the token of vera").click();
      await button("End the token").click();
      await isTold("The token of vera is ended.");
    });
    const { tokens } = (await read("/tokens")) as { tokens: { name: string }[] };
    expect(tokens.map(({ name }) => name)).not.toContain("vera");
  });

  it("a session is ended, and its cookie opens nothing any more", async () => {
    const { token } = await operate(service.url, "POST", "/tokens", { name: "bob" });
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", "x-console": "1" };
    const signIn = { method: "POST", headers, body: JSON.stringify({ token }) };
    const cookie =
      (await fetch(`${service.url}/console/session`, signIn)).headers.get("set-cookie")?.split(";")[0] ?? "";
    const look = async () => (await fetch(`${service.url}/operator/overview`, { headers: { cookie } })).status;
    expect(await look()).toBe(200);
    await audited(["end-session"], async () => {
      await go("audit");
      await button("End: the session of bob").click();
      await isTold("A session of bob is ended.");
    });
    expect(await look()).toBe(401);
  });

  it("a dead job is put back, and then all that are left", async () => {
    const waiting = async () =>
      ((await read("/dead-jobs")).deadJobs as { id: string; putBackAt: string | null }[]).flatMap(
        ({ id, putBackAt }) => (putBackAt === null ? [id] : []),
      );
    await audited(["put-back"], async () => {
      await go("dead-jobs");
      await button("Put back").first().click();
      await isTold("The job is put back.");
    });
    expect(await waiting()).toEqual(["job-1"]);
    await audited(["put-back"], async () => {
      await button("Put it back…").click();
      await button("Put 1 job back").click();
      await isTold("1 job is put back.");
    });
    expect(await waiting()).toEqual([]);
  });
});
