import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operator as call } from "../harness/operator.ts";
import { waitFor } from "../harness/processes.ts";
import { makeClient, makeFolder, operate, send, untilStatus } from "../harness/service.ts";
import { type SharedService, sharedService } from "../harness/shared-service.ts";

const folder = makeFolder();
let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

afterAll(() => folder.remove());

const operator = (args: string[], { env = {} } = {}) => call(service.url, args, env);

async function operatorJson(args: string[]) {
  const { code, output } = await operator([...args, "--json"]);
  expect(code, output).toBe(0);
  return JSON.parse(output);
}

describe("websites", () => {
  test("are made, changed setting by setting, shown and listed", async () => {
    expect(
      await operator(["put-website", "shop", "--name", "The Shop", "--carrier", "sandbox", "--sender", "+12125559999"]),
    ).toMatchObject({
      code: 0,
      output: expect.stringMatching(/name +The Shop\n.*sender +\+12125559999\n.*put-website shop --sending-hours '\{/s),
    });
    const hours = '{"profile":"us-strict","whenClosed":"delay"}';
    expect(await operatorJson(["put-website", "shop", "--sending-hours", hours])).toMatchObject({
      sendingHours: JSON.parse(hours),
    });
    await operator(["put-website", "shop", "--help-text", "Call us.", "--duplicate-window-hours", "2"]);
    const words = await operator(["put-website", "shop", "--opt-out-words", "BAJA, no más"]);
    expect(words.output).toMatch(/optOutWords +BAJA, no más\n/);
    const capped = await operatorJson(["put-website", "shop", "--frequency-cap", '{"count": 3, "hours": 24}']);
    expect(capped).toMatchObject({ frequencyCap: { count: 3, hours: 24 } });
    const changed = await operatorJson(["website", "shop"]);
    expect(changed).toMatchObject({ name: "The Shop", carrier: "sandbox", sender: "+12125559999" });
    expect(changed).toMatchObject({ helpText: "Call us.", duplicateWindowHours: 2, optOutWords: ["BAJA", "no más"] });
    expect(await operatorJson(["put-website", "shop", "--daily-limit", "500"])).toMatchObject({ dailyLimit: 500 });
    const none = [
      "--sender",
      "",
      "--frequency-cap",
      "",
      "--daily-limit",
      "",
      "--duplicate-window-hours",
      "",
      "--opt-out-words",
      "",
    ];
    const cleared = await operatorJson(["put-website", "shop", ...none]);
    expect(cleared).toMatchObject({
      sender: null,
      helpText: "Call us.",
      duplicateWindowHours: null,
      frequencyCap: null,
      dailyLimit: null,
    });
    expect(cleared.optOutWords).toBe(null);
    expect((await operator(["websites"])).output).toMatch(
      /^websiteId +name +carrier +(?:sender +)?database +holds\n.*^shop +The Shop/ms,
    );
    const { websites } = await operatorJson(["websites"]);
    expect(websites).toContainEqual(expect.objectContaining({ websiteId: "shop" }));
  });
});

describe("clients", () => {
  test("are made, changed and given new secrets", async () => {
    const url = "https://client.example.com/callbacks";
    const options = [
      "--name",
      "The platform",
      "--callback-url",
      url,
      "--operations",
      "send,status",
      "--events",
      "message.status,message.received",
    ];
    const { clientId, clientSecret } = await operatorJson(["create-client", "demo", ...options]);
    expect(clientSecret).toMatch(/^[0-9a-f]{64}$/);
    const suspended = await operatorJson(["change-client", clientId, "--suspend"]);
    expect(suspended).toMatchObject({ clientId, callbackUrl: url, operations: ["send", "status"], suspended: true });
    expect(suspended.takesEffect).toBe("at-once");
    const shown = await operator(["change-client", clientId, "--resume", "--callback-url", ""]);
    expect(shown.output).toMatch(
      new RegExp(
        `^clientId +${clientId}\nwebsiteId +demo\nname +The platform\ncallbackUrl +-\noperations +send, status\nevents +message.status, message.received\nsuspended +no\n(?:.*\n)+\nThe requests of the client are accepted everywhere .*\n$`,
      ),
    );
    const rotated = await operator(["rotate-client", clientId, "--grace-seconds", "0"]);
    expect(rotated.output).toMatch(
      /^clientSecret +[0-9a-f]{64}\ncallbackSecret +whsec_\S+\ntakesEffect +at-once\noldPairUntil +2\S+Z\n\nKeep them now: .*\nThe old pair is valid until 2/,
    );
    expect(rotated.output).not.toContain(clientSecret);
    expect((await operator(["client", clientId])).output).toMatch(
      /\nlastUsedAt +-\nrotatedAt +2\S+Z\noldPairUntil +-\nlastRefusal +-\n/,
    );
  });

  test("without options may do everything", async () => {
    expect((await operator(["create-client", "demo"])).output).toMatch(/^clientId +[0-9a-f]{32}\nclientSecret/);
    expect((await operatorJson(["website", "demo"])).clients.at(-1).operations).toHaveLength(5);
  });
});

describe("people and reports", () => {
  test("a person is shown, exported, and erased once that is confirmed", async () => {
    const client = await makeClient(service.url, "", ["+13125550140,c@example.com"]);
    const { messageId } = await send(client, { phone: "+13125550140" });
    // Two exports say the same only of a text that changes no more.
    const { websiteId } = await untilStatus(service.url, messageId, "DELIVERED");
    const person = await operator(["person", websiteId, "+13125550140"]);
    expect(person.output).toMatch(/^subscribed +yes\n.*^texts +none\n.*^changes\nat .*\n2\S+Z +yes +no +import /ms);
    expect((await operator(["inbound", websiteId])).output).toBe("texts  none\n");
    expect((await operator(["inbound"])).code).toBe(2);
    const removed = await operator(["remove-email", websiteId, "+13125550140"]);
    const words = "The e-mail address of +13125550140 is removed. The subscription stays as it is.";
    expect(removed).toEqual({ code: 0, output: `phone  +13125550140\nemail  -\n\n${words}\n` });
    expect((await operator(["person", websiteId, "+13125550140"])).output).toMatch(/^email +-$/m);
    expect((await operator(["erase-person", websiteId, "+13125550140"])).code).toBe(2);
    const exported = await operatorJson(["export-person", "+13125550140"]);
    expect(exported.websites[0].messages).toMatchObject([{ messageId, websiteId }]);
    expect(JSON.parse((await operator(["export-person", "+13125550140", "--website", websiteId])).output)).toEqual({
      ...exported,
      exportedAt: expect.any(String),
    });
    const erased = await operator(["erase-person", websiteId, "+13125550140", "--yes"]);
    const done = `The person is erased in ${websiteId}, with 1 message. Only the person's START subscribes the number there again.`;
    expect(erased).toEqual({ code: 0, output: `phone           +13125550140\nerasedMessages  1\n\n${done}\n` });
    expect((await operator(["message", messageId])).code).toBe(1);
    expect((await operator(["erase-person", "--everywhere", "+13125550140"])).code).toBe(2);
    const everywhere = () => operator(["erase-person", "--everywhere", "+13125550140", "--yes"]);
    expect(await everywhere()).toEqual({
      code: 0,
      output:
        "phone     +13125550140\nwebsites  none\nfailed    none\n\nNo website stores the number: nothing is left to erase.\n",
    });
    await send(client, { phone: "+13125550140" });
    expect(await everywhere()).toEqual({
      code: 0,
      output: expect.stringMatching(new RegExp(`^websiteId +erasedMessages\\n${websiteId} +1\\n$`, "m")),
    });
  });

  test("texts are reported by website, purpose, sender and reason", async () => {
    const { websiteId, ...client } = await makeClient(service.url, "", ["+13125550141"]);
    await send(client, { phone: "+13125550141" });
    expect((await operator(["report", websiteId, "--by", "purpose"])).output).toMatch(
      /^sendPurpose +accepted .*\njourney +1 .*^total\naccepted +1$/ms,
    );
    expect((await operator(["report", websiteId, "--by", "week"])).code).toBe(1);
    const all = await operator(["report", "--all"]);
    expect(all.output).toMatch(/^websiteId +accepted +scheduled +waiting .* sent .* segments +held$/m);
    expect(all.output).toMatch(new RegExp(`^${websiteId} +1 `, "m"));
    expect((await operator(["report", "--all", "--by", "reason"])).output).toMatch(/^- +\d+ /m);
    const { output: csv } = await operator(["report", websiteId, "--by", "sender", "--csv"]);
    expect(csv).toMatch(/^\ufeff"sender","accepted",.*\r\n"",1,.*\r\n$/);
    expect((await operator(["report", websiteId, "--csv", "--json"])).code).toBe(2);
  });
});

describe("subscribers", () => {
  const csv = "phone_numbers,email\n+12125550130,a@example.com\n12125550131,\n";
  const EVERYONE = ["--everyone", "subscribed"];
  const counts = (subscribed: number, before: number, unchanged: number) =>
    [
      `Imported: ${subscribed + before + unchanged}`,
      `  Subscribed: ${subscribed + before} (${subscribed} new, ${before} opted out before)`,
      ...["  Opted out: 0 (0 new, 0 subscribed before)", "  New address: 0", `  Unchanged: ${unchanged}`],
    ]
      .map((line) => `${line}\n`)
      .join("");
  const columns = "Columns read: phone_numbers; email: email; subscribed: none, and everyone is; ignored: none\n";
  const rule = "must be an E.164 phone number such as +12125550100";
  const why = `${rule}: it has no plus sign: begin with a plus sign and the country code`;
  const invalid = `Not phone numbers, left out: 1\n  line 3: 12125550131: ${why}\n`;
  const ID = "[0-9a-f-]{36}";

  test("are imported from a file", async () => {
    const file = join(folder.folder, "subscribers.csv");
    writeFileSync(file, csv);
    const silent = await operator(["import-subscribers", "demo", file]);
    expect([silent.code, silent.output]).toEqual([
      1,
      expect.stringMatching(/everyone: must be subscribed if everyone/),
    ]);
    const { code, output } = await operator(["import-subscribers", "demo", file, ...EVERYONE]);
    expect([code, output.replace(new RegExp(ID), "<id>")]).toEqual([
      0,
      `${columns}${counts(1, 0, 0)}${invalid}To undo it: undo-import <id>\n`,
    ]);
    const again = await operator(["import-subscribers", "demo", file, ...EVERYONE]);
    expect(again.output).toContain(counts(0, 0, 1));
  });

  test("are brought back only when that is said, and a file that is refused says all that is wrong with it", async () => {
    const file = join(folder.folder, "back.csv");
    writeFileSync(file, "phone_numbers;Subscribed\n+12125550134;no\n+12125550134;yes\n");
    const read = "Columns read: phone_numbers; email: none; subscribed: Subscribed; ignored: none\n";
    const optedOut =
      "Imported: 1\n  Subscribed: 0 (0 new, 0 opted out before)\n  Opted out: 1 (1 new, 0 subscribed before)\n";
    const { output } = await operator(["import-subscribers", "demo", file]);
    expect(output).toContain(`${read}${optedOut}`);
    writeFileSync(file, "phone_numbers\n+12125550134\n");
    const kept =
      "Kept unsubscribed: 1\nUnsubscribed before, and brought back only with --resubscribe: 1\n  +12125550134\n";
    expect((await operator(["import-subscribers", "demo", file, ...EVERYONE])).output).toContain(
      `${counts(0, 0, 0)}${kept}`,
    );
    expect((await operator(["import-subscribers", "demo", file, ...EVERYONE, "--resubscribe"])).output).toContain(
      `${counts(0, 1, 0)}To undo it`,
    );
    writeFileSync(file, "\nphone_numbers,subscribed\n+12125550134,maybe\n\n+12125550134,perhaps\n");
    const refused = await operator(["import-subscribers", "demo", file]);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/^line {2}column {6}value {4}cause$/m);
    expect(refused.output).toMatch(/^3 {5}subscribed {2}maybe {4}must be true or false$/m);
    expect(refused.output).toMatch(/^5 {5}subscribed {2}perhaps {2}must be true or false$/m);
  });

  test("that opt out and cannot be read end the command with a code of their own, and are counted", async () => {
    const file = join(folder.folder, "lost.csv");
    writeFileSync(file, "phone_numbers,subscribed\n12125550135,false\n,no\n+12125550136,no\n");
    const said =
      "OPT-OUTS LEFT OUT, because their numbers cannot be read: 2. Correct these rows, and import them again.\n";
    const dry = await operator(["import-subscribers", "demo", file, "--dry-run"]);
    expect([dry.code, dry.output]).toEqual([4, expect.stringContaining(said)]);
    expect(dry.output).toContain(
      "Would be imported: 1\n  subscribed: 0 (0 new, 0 opted out before)\n  opted out: 1 (1 new",
    );
    const real = await operator(["import-subscribers", "demo", file]);
    expect([real.code, real.output]).toEqual([4, expect.stringContaining(said)]);
  });

  test("each change is in the ledger of the website, as a table and as a file", async () => {
    const file = join(folder.folder, "proof.csv");
    const agreed = "2026-11-02T18:04:00-05:00";
    writeFileSync(file, `phone_numbers,consented_at,evidence\n+12125550139,${agreed},"Form, version 3"\n`);
    await operator(["import-subscribers", "demo", file, ...EVERYONE]);
    const { output } = await operator(["ledger", "demo", "--from", "2026-01-01T00:00:00Z"]);
    expect(output).toMatch(/\+12125550139 .*import .*2026-11-02T23:04:00.000Z +Form, version 3/);
    const { output: csv } = await operator(["ledger", "demo", "--csv"]);
    expect(csv).toMatch(/^\ufeffchange_id,at,phone,was_subscribed,.*,consented_at,evidence\r?\n/);
    expect(csv).toMatch(
      /,"\+12125550139","","true","false","import","[0-9a-f-]{36}","2026-11-02T23:04:00.000Z","Form, version 3"/,
    );
    expect(
      (await operator(["ledger", "demo", "--from", "2026-01-01T00:00:00Z", "--to", "2026-01-02T00:00:00Z"])).output,
    ).not.toContain("+1");
  });

  test("a wrong file: it is counted, its id is found, and it is undone, as the page says", async () => {
    const file = join(folder.folder, "wrong.csv");
    writeFileSync(file, "phone_numbers,email\n+12125550132,\n+12125550133,wrong@example.com\n");
    const would = counts(2, 0, 0)
      .toLowerCase()
      .replace(/^imported/, "Would be imported");
    expect(await operator(["import-subscribers", "demo", file, ...EVERYONE, "--dry-run"])).toEqual({
      code: 0,
      output: `${columns}${would}Without proof of consent: 2 of 2 rows\n`,
    });
    await operator(["import-subscribers", "demo", file, ...EVERYONE]);
    const { output } = await operator(["website", "demo"]);
    const line = new RegExp(
      `^2\\S+Z +OPERATOR_TOKEN +import +demo +(?:- +)?(${ID}) +done +.*imported: 2, newSubscribed: 2.*`,
      "m",
    );
    const id = line.exec(output)?.[1] ?? "";
    expect((await operator(["person", "demo", "+12125550132"])).output).toContain(id);
    const undone = (restored: number, before: number, said: string) =>
      `restored        ${restored}\nchangedSince    0\nrestoredBefore  ${before}\nisComplete      yes\n\n${said} The import is closed.\n`;
    expect(await operator(["undo-import", id])).toEqual({
      code: 0,
      output: undone(2, 0, "2 numbers are again as before the import."),
    });
    expect((await operator(["undo-import", id])).output).toBe(
      undone(0, 2, "0 numbers are again as before the import. An earlier undo had restored 2."),
    );
    expect((await operator(["audit", "--website", "demo"])).output).toMatch(
      new RegExp(`undo-import +demo .*${id} +done .*restored: 2`),
    );
    expect(await operator(["undo-import", "nobody"])).toEqual({ code: 1, output: "40401 There is no such import.\n" });
  });
});

test("a message is shown with its events and what came back from each callback", async () => {
  const client = await makeClient(service.url, "http://127.0.0.1:9/", ["+12125550002"]);
  const { messageId } = await send(client, {
    phone: "+12125550002",
    text: "bell \u0007 and\nline",
    sendTime: 1,
    url: 2,
  });
  await waitFor("its callbacks", async () => {
    const { callbacks } = await operate(service.url, "GET", `/messages/${messageId}`);
    return callbacks.length === 2 && callbacks.every((it: { outcome: string | null }) => it.outcome);
  });
  const { output } = await operator(["message", messageId]);
  expect(output).toMatch(
    /^messageId +\S+\nstatus +FAILED_TO_DELIVERY\nreason +UNDELIVERED\nreasonDetail +sandbox: undelivered\n/,
  );
  expect(output).toMatch(/\ntext +bell {3}and line\n/);
  expect(output).toMatch(/\nignoredFields +sendTime, url\nwebsiteId/);
  expect(output).toMatch(/\nwebsiteName +\S.*\nclientId +\S+\nencoding +UCS-2\nsegments +1\n/);
  expect(output).toMatch(/Z +accepted\n2\S+Z +submission 1 +accepted\n/);
  const callback = " +callback unreachable after \\d+ ms\n.*";
  expect(output).toMatch(
    new RegExp(`Z +accepted\n.*Z +SENDING${callback}Z +FAILED_TO_DELIVERY +UNDELIVERED,${callback}$`, "s"),
  );
  expect(await operatorJson(["message", messageId])).toMatchObject({ messageId, status: "FAILED_TO_DELIVERY" });
});

describe("at night", () => {
  const ADA = "+13125550160";

  test("texts are held, counted, cancelled, released and found", async () => {
    const client = await makeClient(service.url, "", [ADA]);
    const filter = ["--purpose", "spring-sale_01"];
    const first = await send(client, { phone: ADA });
    const { websiteId } = await operatorJson(["message", first.messageId]);
    await waitFor("its submission", async () => {
      const { status } = await operate(service.url, "GET", `/messages/${first.messageId}`);
      return status !== "PENDING_TO_SEND";
    });
    expect(await operator(["hold", websiteId, ...filter])).toEqual({
      code: 0,
      output: expect.stringMatching(/^No waiting message of .*\nWaiting now: nothing\.\nholdId +\S+\nheld +0\n\n/),
    });
    const sendPurpose = "spring-sale_01";
    const { messageId } = await send(client, { phone: ADA, sendPurpose });
    const dry = await operator(["cancel", websiteId, ...filter, "--dry-run"]);
    expect(dry).toEqual({ code: 0, output: expect.stringMatching(/^cancelled +1\n/) });
    expect((await operator(["website", websiteId])).output).toMatch(
      /^holds\nholdId +sendPurpose +since .*\n\S+ +spring-sale_01 +2\S+Z/m,
    );
    expect((await operator(["message", messageId])).output).toContain("It waits for: an operator holds it.");
    expect((await operator(["cancel", websiteId, ...filter])).output).toMatch(/^cancelled +1\n/);
    expect((await operator(["release", websiteId, ...filter])).output).toMatch(/^released +0\n/);
    const found = await operator(["messages", "--phone", ADA, "--reason", "CANCELLED"]);
    expect(found.output).toMatch(
      new RegExp(`^acceptedAt .*\\n2\\S+Z +FAILED_TO_SEND +\\${ADA} .* ${messageId} +CANCELLED`, "m"),
    );
    expect((await operator(["find-person", ADA])).output).toMatch(
      new RegExp(`^phone .*^websiteId +${websiteId}$.*^messages\n.*${messageId}`, "ms"),
    );
    expect(await operator(["messages"])).toMatchObject({ code: 0, output: expect.stringContaining(messageId) });
    expect((await operator(["try-carrier", "sandbox"])).output).toMatch(/^carrier +sandbox\ndue +\d+$/m);
  });
});

describe("a token leaked", () => {
  const TOKEN_FORM = /op_[0-9a-f]{64}/;

  test("it is ended, what was done with it is found, and a new one is made", async () => {
    const made = await operator(["create-token", "ada"]);
    const [leaked = ""] = TOKEN_FORM.exec(made.output) ?? [];
    const mallory = { env: { OPERATOR_TOKEN: leaked } };
    expect((await operator(["create-token", "backup"], mallory)).code).toBe(0);
    expect((await operator(["put-website", "leak", "--name", "Mallory's", "--carrier", "sandbox"], mallory)).code).toBe(
      0,
    );
    expect(await operator(["end-token", "ada"])).toEqual({
      code: 0,
      output: expect.stringMatching(/^name +ada\nleft +0\n\nada has no token any more\.\n$/),
    });
    expect(await operator(["websites"], mallory)).toEqual({ code: 1, output: expect.stringMatching(/^40101 /) });
    expect((await operator(["tokens"])).output).toMatch(
      /^name +createdAt +createdBy .*role\n(?:.*\n)*backup +2\S+Z +ada .*operator$/m,
    );
    expect((await operator(["end-token", "backup"])).code).toBe(0);
    expect((await operator(["tokens"])).output).not.toMatch(/^(ada|backup) /m);
    const { output } = await operator(["audit", "--by", "ada"]);
    expect(output).toMatch(
      /^at .*\n2\S+Z +ada +put-website +leak .*done .*name: Mallory's.*\n2\S+Z +ada +create-token .*backup +done /,
    );
    expect((await operator(["website", "leak"])).output).toMatch(/^2\S+Z +ada +put-website +leak .* done /m);
    expect((await operator(["create-token", "ada"])).output).toMatch(TOKEN_FORM);
    expect((await operator(["create-token", "ada", "--grace-seconds", "60"])).output).toMatch(TOKEN_FORM);
    expect((await operator(["end-token", "ada", "--old"])).output).toMatch(/\nada has 1 other token\.\n$/);
    expect((await operator(["end-token", "ada", "--old", "--new"])).code).toBe(2);
    const client = await makeClient(service.url, "", []);
    expect((await operator(["client", client.clientId])).output).toMatch(/OPERATOR_TOKEN +create-client +\S+ /);
  });
});

test("the state of the service is shown once, again and again, and as metrics", async () => {
  const state =
    /^at +2\S+Z\nproblems +\S.*\n(?:what to do +.+\n)?database +answered in \d+ ms\nsweep +ended \d+ s ago\nqueue of messages +\d+(?: \(\d+ s\))?\n/;
  expect((await operator(["health"])).output).toMatch(state);
  expect((await operator(["watch", "--looks", "1"])).output).toMatch(state);
  expect((await operator(["metrics"])).output).toContain('textgate_problem{problem="callbacks-failing"} ');
});
