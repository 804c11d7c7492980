import { describe, expect, it, vi } from "vitest";
import { handleRequest, routes } from "../src/router.ts";
import { ADA, client, prepare, world } from "./one-subscriber.ts";
import { OPERATOR_TOKEN, ORIGIN, SEND } from "./world.ts";

const PERSON = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)" };

prepare();

/** No cache may keep it, and no browser may take it for something else. */
const expectKeptByNobody = (what: string, { headers }: Response) =>
  expect([what, headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([
    what,
    "no-store",
    "nosniff",
  ]);

describe("an answer is kept by no cache", () => {
  it.each(["with no credentials", "with all of them"])("of any route, called %s", async (which) => {
    const credentials = {
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      "x-client-id": client.clientId,
      "x-client-secret": client.clientSecret,
    };
    for (const [method, , , path] of routes) {
      const body = method === "GET" || method === "HEAD" ? {} : { body: "{}" };
      const headers = { "content-type": "application/json", ...(which === "with all of them" ? credentials : {}) };
      const request = new Request(`${ORIGIN}${path.replaceAll(/:\w+/g, "nobody")}`, { method, headers, ...body });
      const answer = await world.invoke("fetch", () => handleRequest(request, () => world.deps));
      expectKeptByNobody(`${method} ${path} ${answer.status}`, answer);
      await world.afterAnswer();
      world.advance(2);
    }
  });

  it("that has what was asked for: of a client, of an operator, and of a link that is followed", async () => {
    const sent = await world.post("/text/message/send", client, {
      ...SEND,
      phone: ADA,
      clickUrl: "https://shop.example.com/",
    });
    const { messageId } = await sent.clone().json<{ messageId: string }>();
    await world.runQueues();
    const [row] = await world.rows("SELECT text FROM messages");
    const [link = ""] = /\/l\/\w+/.exec(String(row?.text)) ?? [];
    const answers = {
      sent,
      status: await world.post("/text/message/statuses", client, { messageIds: [messageId] }),
      subscriptions: await world.post("/text/subscription/status", client, { phone_numbers: [ADA] }),
      message: await world.operator("GET", `/messages/${messageId}`),
      person: await world.operator("GET", `/people/${ADA}`),
      link: await world.fetch(link, { headers: PERSON }),
      noLink: await world.fetch(`${link}x`, { headers: PERSON }),
    };
    for (const [what, answer] of Object.entries(answers)) expectKeptByNobody(what, answer);
    expect(Object.values(answers).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 302, 404]);
  });

  it("that refuses a path, a method or the configuration", async () => {
    expectKeptByNobody("path", await world.fetch("/nothing"));
    expectKeptByNobody("method", await world.fetch("/text/message/send"));
    vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = () => {
      throw new Error("SERVICE_KEY is missing");
    };
    for (const path of ["/text/message/send", "/health"])
      expectKeptByNobody(path, await handleRequest(new Request(`${ORIGIN}${path}`), broken));
  });
});
