/** What the shell says where a person has mistyped, or is about to do what cannot be undone. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printable, printableLines } from "../../../scripts/operator/table.ts";
import { toTime } from "../../../scripts/operator/times.ts";
import { runningUrl, tellRunning } from "../../../scripts/running-service.ts";
import { operator } from "../harness/operator.ts";
import { startReceiver } from "../harness/receiver.ts";

const NOW = Date.parse("2026-11-26T00:30:00Z");

/** @param answers by the end of the path; `{}` otherwise */
async function ask(args: string[], answers: Record<string, object> = {}, status = 200) {
  const paths: string[] = [];
  const service = await startReceiver((response) => {
    const path = response.req.url ?? "";
    paths.push(path);
    const [, answer = {}] = Object.entries(answers).find(([end]) => path.includes(end)) ?? [];
    response.writeHead(status).end(JSON.stringify(answer));
  });
  try {
    return { ...(await operator(service.url, args)), paths };
  } finally {
    await service.close();
  }
}

const row = (sendPurpose: string, count: number) => ({ sendPurpose, count });

const WAITING = {
  "/waiting": {
    groups: [{ websiteId: "shop", rows: [row("spring-sale", 1500), row("spring-sale", 500), row("receipt", 3)] }],
  },
};

test("what a stranger wrote moves nothing in a terminal, and stays as it is in a file", () => {
  const evil = "\x1b]0;owned\x07\x1b[2Ja\u009b31mb\u202ec\r";
  const csv = `id,proof\n1,"${evil}"\n\t2,"é😀"`;
  expect(printableLines(csv, true)).toBe('id,proof\n1," ]0;owned  [2Ja 31mb c "\n\t2,"é😀"');
  expect(printableLines(csv, false)).toBe(csv);
  expect(printable(`${evil}\n`)).toBe(" ]0;owned [2Ja 31mb c ");
});

test("a hold for a purpose that no message has says so, what waits, and the nearest", async () => {
  const { code, output } = await ask(["hold", "shop", "--purpose", "sprng-sale"], { ...WAITING, "/hold": { held: 0 } });
  expect(code).toBe(0);
  expect(output).toContain('No waiting message of shop has the purpose "sprng-sale".');
  expect(output).toContain("Waiting now: spring-sale 2,000, receipt 3.\nDid you mean spring-sale?");
  const other = await ask(["hold", "shop", "--purpose", "birthday"], { ...WAITING, "/hold": { held: 0 } });
  expect(other.output).not.toContain("Did you mean");
});

test("a hold says how to end it, whether it was there before, and whether more may wait", async () => {
  const said = async (answer: object) => (await ask(["hold", "shop"], { "/hold": { holdId: "h1", ...answer } })).output;
  const ending = "`release shop --hold h1` sends them.";
  expect(await said({ held: 1 })).toContain(`\n1 waiting message is held. ${ending}\n`);
  expect(await said({ held: 2000 })).toContain(`\n2,000 waiting messages are held. ${ending}\n`);
  expect(await said({ held: 90_000, atLeast: true })).toContain("\nAt least 90,000 waiting messages are held.");
  expect(await said({ held: 3, alreadyHeld: true })).toContain("The hold was there before.");
});

test("a release says which holds it has ended, and which last", async () => {
  const hold = (holdId: string) => ({
    holdId,
    sendPurpose: "sale",
    clientId: null,
    since: NOW,
    by: "ada",
    reason: null,
  });
  const answer = { released: 2, ended: [hold("h1")], remaining: [hold("h2"), hold("h3")] };
  const { output } = await ask(["release", "shop", "--hold", "h1"], { "/release": answer });
  expect(output).toMatch(/^released +2\n\nended\nholdId.*\nh1 .*\n\nremaining\nholdId.*\nh2 .*\nh3 /m);
  expect(output).toContain("2 waiting messages are due now, and sent within a minute.");
  expect(output).toContain("2 other holds of the website last.");
});

test("a release that would end no hold says so, with the holds that there are", async () => {
  const details = [{ field: "holdId", message: "h2: sendPurpose sale, held by ada" }];
  const answer = { code: 40401, message: "There is no such hold. details has those that there are.", details };
  const { code, output } = await ask(["release", "shop", "--purpose", "sael"], { "/release": answer }, 404);
  expect(code).not.toBe(0);
  expect(output).toContain("h2: sendPurpose sale, held by ada");
});

test("a hold that finds messages, and one of a whole website, ask for nothing else", async () => {
  const { paths } = await ask(["hold", "shop", "--purpose", "spring-sale"], { ...WAITING, "/hold": { held: 2000 } });
  expect(paths).toEqual(["/operator/websites/shop/hold"]);
  expect((await ask(["hold", "shop"], { ...WAITING, "/hold": { held: 0 } })).paths).toHaveLength(1);
});

test("the waiting messages of a whole website are cancelled with --yes alone", async () => {
  const refused = await ask(["cancel", "shop"]);
  expect(refused).toMatchObject({ code: 2, paths: [] });
  expect(refused.output).toContain("cannot be undone");
  for (const more of [["--yes"], ["--dry-run"], ["--purpose", "receipt"], ["--client", "c"]])
    expect((await ask(["cancel", "shop", ...more], { "/cancel": { cancelled: 3 } })).paths).toHaveLength(1);
});

test("a cancellation says what it did, or would do", async () => {
  const said = async (...more: string[]) =>
    (await ask(["cancel", "shop", ...more], { "/cancel": { cancelled: 298 } })).output;
  expect(await said("--yes")).toContain("298 waiting messages are cancelled.");
  expect(await said("--dry-run")).toContain("298 waiting messages would be cancelled. Nothing is changed.");
});

test("the next command that hold, release and cancel name is for the same messages", async () => {
  const chosen = ["--purpose", "spring sale's", "--client", "c1"];
  const answer = { holdId: "h1", held: 2, released: 2, ended: [], remaining: [], cancelled: 2 };
  const said = async (...args: string[]) => (await ask(args, { "/shop/": answer })).output;
  const same = "--purpose 'spring sale'\\''s' --client c1`";
  expect(await said("hold", "shop", ...chosen)).toContain("`release shop --hold h1` sends them.");
  expect(await said("release", "shop", ...chosen)).toContain(`\`hold shop ${same} stops what has not gone.`);
  expect(await said("cancel", "shop", ...chosen)).toContain(`\`hold shop ${same} stops those.`);
});

test("an erasure and the removal of an address say what they did", async () => {
  const phone = "+12125550100";
  const said = async (answer: object, ...args: string[]) => (await ask(args, { "/people/": answer })).output;
  expect(await said({ phone, erasedMessages: 1 }, "erase-person", "shop", phone, "--yes")).toContain(
    "The person is erased in shop, with 1 message.",
  );
  const websites = [
    { websiteId: "shop", erasedMessages: 2 },
    { websiteId: null, erasedMessages: 0 },
  ];
  expect(await said({ phone, websites, failed: [] }, "erase-person", "--everywhere", phone, "--yes")).toContain(
    "The person is erased in 1 website.",
  );
  expect(await said({ phone, email: null }, "remove-email", "shop", phone)).toContain(
    `The e-mail address of ${phone} is removed.`,
  );
});

test("the list of texts to decide has the command for each, and none for a person's words", async () => {
  const text = { websiteId: "shop", receivedAt: "2026-11-26T00:30:00.000Z", from: "+12125550100", text: "please stop" };
  const of = (carrierMessageId: string) => ({ ...text, carrier: "kannel", carrierMessageId, maybeOptOut: true });
  const texts = [of("a-1"), of("a b'c"), of("\u001b[2Jx")];
  const list = async (...more: string[]) =>
    (await ask(["texts", ...more], { "/inbound": { texts, next: null, toDecide: 3 } })).output;
  const lines = (await list("--to-decide")).split("\n").filter((line) => line.startsWith("  decide"));
  expect(lines.map((line) => line.split("   # ")[0])).toEqual([
    "  decide shop kannel a-1",
    "  decide shop kannel 'a b'\\''c'",
    "  decide shop kannel <carrierMessageId, see --json>",
  ]);
  expect(await list()).toContain("3 texts may be opt-outs: `texts --to-decide` lists them.");
});

test("a change of a client says when it takes effect", async () => {
  const said = async (answer: object, ...more: string[]) =>
    (await ask(["change-client", "c1", ...more], { "/clients/": answer })).output;
  const atOnce = { takesEffect: "at-once", waitingMessages: null };
  expect(await said(atOnce, "--suspend")).toMatch(
    /\n\nThe requests of the client are refused everywhere from now on\.\n$/,
  );
  expect(await said(atOnce, "--resume")).toContain(
    "The requests of the client are accepted everywhere within 90 seconds.",
  );
  expect(await said(atOnce, "--operations", "send")).toContain("A new grant takes up to 90 seconds.");
  expect(await said(atOnce, "--name", "Ada's")).not.toContain("90 seconds");
  expect(await said({ ...atOnce, takesEffect: "within-minutes" }, "--suspend")).toContain(
    "To have it at once, run the command again.",
  );
});

test("an error is said once", async () => {
  const details = [{ field: "name", message: "is required" }];
  const { output } = await ask(
    ["put-website", "shop"],
    { "/shop": { code: 40001, message: "name: is required", details } },
    400,
  );
  expect(output).toBe("40001 name: is required\n");
  const two = [...details, { field: "carrier", message: "is required" }];
  const both = { code: 40001, message: "2 rules are broken", details: two };
  expect((await ask(["put-website", "shop"], { "/shop": both }, 400)).output).toBe(
    "40001 2 rules are broken\n  name: is required\n  carrier: is required\n",
  );
});

test("a mistyped command or option is answered with the nearest", async () => {
  expect((await ask(["mesage", "m"])).output).toMatch(/^there is no command "mesage": did you mean message\?\n/);
  expect((await ask(["message", "m", "--jsn"])).output).toMatch(
    /^message: there is no option --jsn: did you mean --json\?\n/,
  );
  expect((await ask(["frobnicate"])).output).toMatch(/^there is no command "frobnicate"\n/);
});

test("days and times are taken as a person writes them, in UTC", () => {
  expect(toTime("today", "date", NOW)).toBe("2026-11-26");
  expect(toTime("Yesterday", "date", NOW)).toBe("2026-11-25");
  expect(toTime("yesterday", "date-time", NOW)).toBe("2026-11-25T00:00:00Z");
  expect(toTime("2026-11-21", "date-time", NOW)).toBe("2026-11-21T00:00:00Z");
  expect(toTime("2026-11-21T14:00", "date-time", NOW)).toBe("2026-11-21T14:00Z");
  // As they are: what the service takes, and what it is to refuse.
  for (const text of ["2026-11-21T14:00:00-05:00", "2026-11-21T14:00:00Z", "last week"])
    expect(toTime(text, "date-time", NOW)).toBe(text);
  expect(toTime("today", undefined, NOW)).toBe("today");
});

test("a command asks for the day that a word names", async () => {
  const today = () => `/operator/websites/shop/report?from=${new Date().toISOString().slice(0, 10)}`;
  const before = today();
  const { paths } = await ask(["report", "shop", "--from", "today"], { "/report": { rows: [] } });
  // Midnight may have come in between.
  expect(paths).toHaveLength(1);
  expect([before, today()]).toContain(paths[0]);
});

test("the audit log shows times as times, and nothing that is null", async () => {
  const entry = { at: "2026-11-26T00:00:00.000Z", operator: "ada", action: "rotate-client", websiteId: "shop" };
  const after = { oldPairEndsAt: NOW, sender: null };
  const { output } = await ask(["audit"], { "/audit": { entries: [{ ...entry, before: null, after }], next: null } });
  expect(output).toContain("oldPairEndsAt: 2026-11-26T00:30:00.000Z");
  expect(output).not.toContain("sender");
});

test("the URL of a running service is found beside its data, and that of one that has ended is not", () => {
  const folder = mkdtempSync(join(tmpdir(), "textgate-running-"));
  expect(runningUrl(folder)).toBeUndefined();
  tellRunning(folder, "http://127.0.0.1:9123");
  expect(runningUrl(folder)).toBe("http://127.0.0.1:9123");
  // No process has this id.
  writeFileSync(join(folder, "running.json"), JSON.stringify({ url: "http://127.0.0.1:9123", pid: 2 ** 30 }));
  expect(runningUrl(folder)).toBeUndefined();
});
