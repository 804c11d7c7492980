/** The commands that are made from the declarations of the calls, and the one table that prints any answer. */
import { expect, test } from "vitest";
import { loadSource } from "../../../scripts/load-source.ts";
import { COMMANDS } from "../../../scripts/operator/commands.ts";
import { helpOf } from "../../../scripts/operator/help.ts";
import { showAnswer } from "../../../scripts/operator/show-answer.ts";
import type { Call } from "../../../src/http/call.ts";
import { operator } from "../harness/operator.ts";
import { startReceiver } from "../harness/receiver.ts";

const { CALLS } = (await loadSource("calls.ts")) as { CALLS: Call[] };
const OF_OPERATOR = CALLS.filter(({ access }) => access === "operator");

const callOf = (id: string) => CALLS.find((call) => call.id === id) as Call;

test("every call of the operator has a command, and every command but watch a call", () => {
  const names = [...new Set(OF_OPERATOR.map(({ command }) => command?.name))];
  expect(COMMANDS.map(({ name }) => name).filter((name) => name !== "watch")).toEqual(names);
});

test("a name that two calls share has one that comes first, and an option that chooses the other", () => {
  for (const [name, calls] of Map.groupBy(OF_OPERATOR, ({ command }) => command?.name)) {
    const chosen = calls.filter(({ command }) => command?.chosenBy).length;
    expect([name, chosen, calls.length]).toEqual([name, calls.length - 1, chosen + 1]);
    expect([name, calls.length <= 2]).toEqual([name, true]);
  }
});

test("the help of a command explains every option", () => {
  for (const command of COMMANDS) {
    expect(helpOf(command)).toContain(command.summary);
    for (const [option, { summary }] of Object.entries(command.options))
      expect([command.name, option, summary.length > 5]).toEqual([command.name, option, true]);
  }
});

/** What a command sends. */
async function sent(...args: string[]) {
  const service = await startReceiver((response) => response.writeHead(200).end('{"failed":[],"state":"done"}'));
  try {
    await operator(service.url, [...args, "--json"]);
    return service.received.map(({ path, body }) => `${path} ${body}`.trim());
  } finally {
    await service.close();
  }
}

test("a switch says what it does, and names no value", () => {
  const switches = COMMANDS.flatMap(({ options }) => Object.entries(options).filter(([, { value }]) => !value));
  expect(switches.length).toBeGreaterThan(15);
  expect(switches.filter(([, { summary }]) => !/^[A-Z]/.test(summary))).toEqual([]);
});

test("a command asks for what its arguments and options say", async () => {
  const filter = ["--purpose", "spring sale", "--client", "c1"];
  expect(await sent("hold", "brand", ...filter)).toEqual([
    '/operator/websites/brand/hold {"sendPurpose":"spring sale","clientId":"c1"}',
  ]);
  expect(await sent("release", "brand", "--hold", "h1")).toEqual(['/operator/websites/brand/release {"holdId":"h1"}']);
  expect(await sent("release", "brand", "--all")).toEqual(['/operator/websites/brand/release {"all":true}']);
  expect(await sent("release", "brand")).toEqual(["/operator/websites/brand/release {}"]);
  expect(await sent("holds", "--website", "brand")).toEqual(["/operator/holds?website=brand"]);
  expect(await sent("decide", "brand", "kannel", "a-1", "--take-back")).toEqual([
    '/operator/inbound/decide {"optOut":null,"websiteId":"brand","carrier":"kannel","carrierMessageId":"a-1"}',
  ]);
  expect(await sent("cancel", "brand", "--dry-run")).toEqual(['/operator/websites/brand/cancel {"dryRun":true}']);
  expect(await sent("report", "brand", "--by", "day")).toEqual(["/operator/websites/brand/report?by=day"]);
  expect(await sent("report", "--all", "--from", "2026-11-01")).toEqual(["/operator/report?from=2026-11-01"]);
  expect(await sent("ledger", "brand", "--to", "2026-11-01T00:00:00Z")).toEqual([
    "/operator/websites/brand/ledger?to=2026-11-01T00%3A00%3A00Z",
  ]);
  expect(await sent("inbound", "--without-effect")).toEqual(["/operator/inbound/without-effect"]);
  expect(await sent("export-person", "+1212", "--website", "brand")).toEqual([
    "/operator/websites/brand/people/%2B1212/export",
  ]);
  expect(await sent("erase-person", "brand", "+1212")).toEqual([]);
  expect(await sent("erase-person", "--everywhere", "+1212", "--yes")).toEqual(["/operator/people/%2B1212"]);
  expect(await sent("create-token", "ada", "--grace-seconds", "60")).toEqual([
    '/operator/tokens {"graceSeconds":60,"name":"ada"}',
  ]);
  expect(await sent("end-token", "ada", "--old")).toEqual(["/operator/tokens/ada?which=old"]);
  expect(await sent("change-client", "c1", "--resume")).toEqual(['/operator/clients/c1 {"suspended":false}']);
  expect(await sent("change-client", "c1", "--operations", "", "--events", "")).toEqual([
    '/operator/clients/c1 {"operations":[],"events":[]}',
  ]);
  expect(await sent("put-website", "brand", "--opt-out-words", "")).toEqual([
    '/operator/websites/brand {"optOutWords":null}',
  ]);
  expect(await sent("create-client", "brand", "--operations", "")).toEqual([
    '/operator/websites/brand/clients {"operations":[]}',
  ]);
  for (const narrow of [
    ["release", "brand", "--hold"],
    ["cancel", "brand", "--purpose"],
    ["holds", "--website"],
  ])
    expect(await sent(...narrow, "")).toEqual([]);
});

test("a list is printed with a column for each field that has a value, whatever is in it", () => {
  const job = { id: "a1", queue: "q", diedAt: "2026-11-21T12:00:00.000Z", putBackAt: null };
  const deadJobs = [
    { ...job, body: { kind: "deliver", messageIds: ["m", "n"] }, error: "Error: no\n\u001b[31m such table" },
    { ...job, body: null, error: null },
  ];
  expect(showAnswer(JSON.stringify({ deadJobs }), callOf("listDeadJobs")).split("\n")).toEqual([
    "id  queue  diedAt                    body                             error",
    "a1  q      2026-11-21T12:00:00.000Z  kind: deliver, messageIds: m, n  Error: no [31m such table",
    "a1  q      2026-11-21T12:00:00.000Z  -                                -",
  ]);
});

test("an erasure that failed in a website is shown, with what to do, and is a problem", () => {
  const call = callOf("erasePersonEverywhere");
  const answered = {
    phone: "+12125550140",
    websites: [{ websiteId: null, erasedMessages: 0 }],
    failed: ["shop"],
  };
  expect(showAnswer(JSON.stringify(answered), call).split("\n")).toEqual([
    "phone   +12125550140",
    "failed  shop",
    "",
    "websites",
    "websiteId  erasedMessages",
    "-          0",
    "",
    "FAILED in some websites: nothing is erased there. Run it again.",
  ]);
  expect(call.command?.hasProblem?.(answered)).toBe(true);
  expect(call.command?.hasProblem?.({ ...answered, failed: [] })).toBe(false);
});

test("a page says how the next one is read", () => {
  const page = JSON.stringify({
    messages: [{ acceptedAt: "2026-11-21", messageId: "m", status: "SENDING" }],
    next: "17-4",
  });
  expect(showAnswer(page, callOf("findMessages"))).toBe(
    "acceptedAt  status   messageId\n2026-11-21  SENDING  m\n\nThere may be more: --cursor 17-4",
  );
});

test("a change of a person is shown with its proof of consent, and without one as if there were none", () => {
  const at = "2026-11-21T12:00:00.000Z";
  const bare = { at, from: null, to: true, addressChanged: false, source: "api", proof: "request 1", changeId: 1 };
  const told = { ...bare, consentedAt: "2026-11-20T12:00:00.000Z", evidence: "A form\nwith \u001b[31m two lines" };
  const shown = (changes: object[]) => showAnswer(JSON.stringify({ changes }), callOf("getPerson"));
  expect(shown([bare])).not.toMatch(/consentedAt|evidence/);
  const [names, first, ...more] = shown([told]).split("\n");
  expect(names).toMatch(/ proof +consentedAt +evidence$/);
  expect(first).toContain("request 1  2026-11-20T12:00:00.000Z  A form");
  expect(first).not.toContain("\u001b");
  expect(more).toEqual([]);
});
