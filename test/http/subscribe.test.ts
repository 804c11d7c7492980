import { describe, expect, it } from "vitest";
import { ADA, base64, call, client, prepare, world } from "./subscribing.ts";

prepare();

const isSubscribed = async (phone: string, websiteId = "brand") =>
  (
    await world.rows(
      "SELECT subscribed FROM subscriptions WHERE website_id = ?1 AND phone = ?2",
      websiteId,
      Number(phone.slice(1)),
    )
  )[0]?.subscribed;
const ledger = () =>
  world.rows("SELECT phone, was_subscribed, subscribed, source, proof FROM subscription_changes ORDER BY change_id");

describe("unsubscribe", () => {
  it("opts out numbers of both lists, also those never seen, and says what it could not read", async () => {
    const csv_file = base64("phone_numbers\n+12125550102\nnope\n");
    const answer = await call("/text/unsubscribe", { phone_numbers: [ADA, "+12125550101"], csv_file });
    expect(answer).toEqual({
      status: 200,
      body: { message: "3 numbers are unsubscribed.", invalidPhoneNumbers: ["nope"] },
    });
    expect([await isSubscribed(ADA), await isSubscribed("+12125550101")]).toEqual([0, 0]);
  });

  it("changes nothing when it is repeated", async () => {
    await call("/text/unsubscribe", { phone_numbers: [ADA] });
    const before = await ledger();
    await call("/text/unsubscribe", { phone_numbers: [ADA] });
    expect(await ledger()).toEqual(before);
    expect(before.at(-1)).toMatchObject({ was_subscribed: 1, subscribed: 0, source: "api" });
  });

  it("stops what is sent after it, and what was accepted before and not yet submitted", async () => {
    const before = await world.send(client, { phone: ADA });
    await call("/text/unsubscribe", { phone_numbers: [ADA] });
    const after = await world.send(client, { phone: ADA });
    const byAddress = await world.send(client, { email: "ada@example.com" });
    await world.runQueues();
    expect([await world.statusOf(before), await world.statusOf(after), await world.statusOf(byAddress)]).toEqual([
      "NOT_SUBSCRIBED",
      "NOT_SUBSCRIBED",
      "FAILED_TO_MATCH",
    ]);
  });

  it("is of one website", async () => {
    const other = await world.brand([ADA], "other");
    await call("/text/unsubscribe", { phone_numbers: [ADA] }, other);
    expect([await isSubscribed(ADA), await isSubscribed(ADA, "other")]).toEqual([1, 0]);
  });
});

describe("subscribe", () => {
  it("opts in numbers, with the addresses of a file, and keeps the purpose as proof", async () => {
    const csv_file = base64("phone_numbers,email\n+12125550102,Grace@Example.com\n+12125550103,not an address\n");
    const answer = await call("/text/subscribe", {
      phone_numbers: ["+12125550101", "x"],
      csv_file,
      sendPurpose: "sign-up",
    });
    expect(answer).toEqual({
      status: 200,
      body: {
        message: "3 numbers are subscribed.",
        invalidPhoneNumbers: ["x"],
        failedToProcessNumbers: [],
        invalidEmails: ["not an address"],
      },
    });
    expect(await world.statusOf(await world.send(client, { email: "grace@example.com" }))).toBe("PENDING_TO_SEND");
    expect((await ledger()).at(-1)).toMatchObject({
      source: "api",
      proof: expect.stringContaining("sendPurpose sign-up"),
    });
  });

  it("brings back who was unsubscribed by a client, and not who has texted STOP", async () => {
    await call("/text/unsubscribe", { phone_numbers: [ADA] });
    await world.rows("UPDATE subscriptions SET opted_out_by_person = 1 WHERE phone = 12125550100");
    const body = { phone_numbers: [ADA, "+12125550101"], sendPurpose: "again" };
    expect((await call("/text/subscribe", body)).body).toMatchObject({
      message: "1 number is subscribed.",
      failedToProcessNumbers: [ADA],
    });
    expect(await isSubscribed(ADA)).toBe(0);
    await world.rows("UPDATE subscriptions SET opted_out_by_person = 0 WHERE phone = 12125550100");
    expect((await call("/text/subscribe", body)).body).toMatchObject({ failedToProcessNumbers: [] });
    expect(await isSubscribed(ADA)).toBe(1);
  });

  it("refuses a file that says who is not to be subscribed, and says on which lines", async () => {
    const rows = [
      "",
      `${ADA},yes`,
      "+12125550101,No",
      "+12125550102,maybe",
      '"+12125550103\n",',
      "+12125550104,0",
      "+12125550105",
    ];
    const csv_file = base64(["phone_numbers,Subscribed", ...rows].join("\r\n"));
    const { status, body } = await call("/text/subscribe", { csv_file, sendPurpose: "a" });
    expect([status, body.code]).toEqual([400, 40001]);
    const rest = "in the column subscribed: this call subscribes every number of the file, so leave the row out";
    const has = ['4 has "No"', '5 has "maybe"', "6 has nothing", '8 has "0"', "9 has nothing"];
    const messages = has.map((it) => `line ${it} ${rest}`);
    expect(body.details).toEqual(messages.map((message) => ({ field: "csv_file", message })));
    const all = base64(`phone_numbers,subscribed\n${ADA},true\n+12125550101,Y`);
    const answer = await call("/text/subscribe", { csv_file: all, sendPurpose: "a" });
    expect(answer.body.message).toBe("2 numbers are subscribed.");
  });

  it("refuses a file with a column that looks like a state", async () => {
    await call("/text/unsubscribe", { phone_numbers: [ADA] });
    const csv_file = base64(`phone_numbers;Opt-In\n${ADA};no\n`);
    const { status, body } = await call("/text/subscribe", { csv_file, sendPurpose: "a" });
    expect([status, body.message]).toEqual([
      400,
      'csv_file: has a column headed "Opt-In", which looks like a state: this call subscribes every number of the file, so leave out the rows of those who have opted out, and the column',
    ]);
    expect(await isSubscribed(ADA)).toBe(0);
  });

  it("wants a sendPurpose and a list, and tells both", async () => {
    const { status, body } = await call("/text/subscribe", { phone_numbers: {} });
    expect(status).toBe(400);
    expect((body.details as { field: string }[]).map(({ field }) => field)).toEqual(["phone_numbers", "sendPurpose"]);
    expect((await call("/text/subscribe", { sendPurpose: "a" })).body).toMatchObject({ code: 40001 });
  });
});

describe("the status of a message", () => {
  const ask = async (messageId: string, by = client) => {
    const headers = { "x-client-id": by.clientId, "x-client-secret": by.clientSecret };
    const path = `/text/message/status?messageId=${messageId.toUpperCase()}%20`;
    const answer = await world.fetch(path, { headers });
    return { status: answer.status, body: await answer.json() };
  };

  it("is told to its own website, and to no other", async () => {
    const messageId = await world.send(client, { phone: ADA });
    const updatedAt = "2026-11-21T12:00:00.000Z";
    expect(await ask(messageId)).toEqual({
      status: 200,
      body: { messageId, status: "PENDING_TO_SEND", reason: null, updatedAt },
    });
    await world.runQueues();
    expect((await ask(messageId)).body).toMatchObject({ status: "DELIVERED" });
    expect((await ask(messageId, await world.client("brand"))).status).toBe(200);
    const other = await world.brand([], "other");
    expect(await ask(messageId, other)).toMatchObject({ status: 404, body: { code: 40401 } });
    expect(await ask(crypto.randomUUID())).toMatchObject({ status: 404, body: { code: 40401 } });
    expect(await ask("")).toMatchObject({ status: 400, body: { code: 40001, details: [{ field: "messageId" }] } });
  });

  it("wants its own grant", async () => {
    const sender = await world.client("brand", { operations: ["send"] });
    expect(await ask(crypto.randomUUID(), sender)).toMatchObject({ status: 403, body: { code: 40301 } });
  });
});
