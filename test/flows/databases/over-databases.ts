// Websites over several databases, few or many: databases.test.ts and databases.long.test.ts.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { homeOf, newId } from "../../../src/domain/databases/home.ts";
import { queueReceipts } from "../../../src/flows/messages/queue-jobs.ts";
import { receiveInbound } from "../../../src/flows/people/receive-inbound.ts";
import { ADA, type Brand, bindDatabases, makeBrand, otherNames, rowsOf } from "../../databases.ts";
import { platform } from "../../strict/platform.ts";
import { type TestClient, World } from "../../world.ts";

/** The sandbox accepts its texts, and gives no receipt. */
const WITHOUT_RECEIPT = "+17185550003";
const PERSON = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)" };

let world: World;
let posts: { url: string; messageId: string }[];

const text = (brand: Brand, words: string, from: string, id: string) =>
  world.invoke("fetch", () =>
    receiveInbound(world.deps, "sandbox", {
      ...{ carrierMessageId: id, from, to: [brand.sender], text: words, keyword: null, answeredByCarrier: false },
    }),
  );

interface Size {
  databases: number;
  websites: number;
  /** Changes by an operator, which the audit log has. */
  changes: number;
}

export function describeWebsites(name: string, { databases, websites, changes }: Size): void {
  describe(name, () => {
    let brands: Brand[];

    beforeEach(async () => {
      world = await World.create();
      posts = [];
      vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
        posts.push({ url: String(url), messageId: JSON.parse(String(init?.body)).messageId });
        return new Response("thanks");
      });
      await bindDatabases(world, databases);
      brands = [];
      for (let index = 0; index < websites; index++) brands.push(await makeBrand(world, index));
      platform.keyWrites.clear();
    });

    afterEach(() => {
      vi.restoreAllMocks();
    });

    const statuses = async (client: TestClient, messageIds: string[]) =>
      (await (await world.post("/text/message/statuses", client, { messageIds })).json()) as {
        messages: { messageId: string }[];
        unknownMessageIds: string[];
      };
    const forge = (id: string, home: number) => {
      const place = home.toString(16).padStart(5, "0");
      return `${id.slice(0, 15)}${place.slice(0, 3)}${id.slice(18, 20)}${place.slice(3)}${id.slice(22)}`;
    };
    const of = (database: string) => brands.filter((brand) => brand.database === database);

    it("are spread, and each has all of its rows in its own", async () => {
      const counts = [...Map.groupBy(brands, ({ database }) => database).values()].map((some) => some.length);
      expect([counts.length, Math.max(...counts) - Math.min(...counts) <= 1]).toEqual([databases, true]);
      await world.runQueues();
      await world.sweep();
      for (const database of ["DB", ...otherNames(world)]) {
        const own = of(database).map(({ websiteId }) => websiteId);
        for (const table of ["websites", "clients", "messages", "subscriptions", "subscription_changes"]) {
          const rows = await rowsOf(database, `SELECT DISTINCT website_id AS id FROM ${table}`);
          expect([table, rows.map(({ id }) => id).sort()]).toEqual([table, own.toSorted()]);
        }
      }
      const list = (await (await world.operator("GET", "/databases")).json()) as { databases: { websites: number }[] };
      expect(list.databases.reduce((sum, { websites }) => sum + websites, 0)).toBe(websites);
    });

    it("answer for their own ids, links, numbers and receipts, and for no other's", async () => {
      const ids = brands.map(({ messageId }) => messageId);
      await world.runQueues();
      for (const { websiteId, client, messageId, link, phone } of brands) {
        const found = await statuses(client, ids);
        expect(found.messages.map((message) => message.messageId)).toEqual([messageId]);
        expect(found.unknownMessageIds).toEqual(ids.filter((id) => id !== messageId));
        const message = await (await world.operator("GET", `/messages/${messageId}`)).json();
        expect(message).toMatchObject({ websiteId, phone, status: "DELIVERED" });
        const answer = await world.fetch(link, { headers: PERSON });
        expect(answer.headers.get("location")).toBe(`https://shop.example.com/${websiteId}`);
        const lookUp = await world.post("/text/subscription/status", client, {
          phone_numbers: brands.map((brand) => brand.phone),
        });
        const { phoneNumberStatuses } = (await lookUp.json()) as {
          phoneNumberStatuses: { phoneNumber: string; subscriptionStatus: boolean }[];
        };
        expect(phoneNumberStatuses.filter((it) => it.subscriptionStatus).map((it) => it.phoneNumber)).toEqual([phone]);
      }
      await world.runQueues();
      // SENDING, DELIVERED and a click of each, to the client whose message it is.
      const expected = brands.flatMap(({ websiteId, messageId }) =>
        [1, 2, 3].map(() => ({ url: `https://${websiteId}.example.com/`, messageId })),
      );
      const byUrl = (a: { url: string }, b: { url: string }) => a.url.localeCompare(b.url);
      expect(posts.sort(byUrl)).toEqual(expected.sort(byUrl));
    });

    it("refuse ids and links with another home, and those of nobody", async () => {
      const [one, two] = brands as [Brand, Brand];
      const { messageId } = one;
      expect(forge(messageId, homeOf(messageId))).toBe(messageId);
      const homes = [0, homeOf(two.messageId), 4711, 2 ** 20 - 1];
      for (const id of [
        ...homes.map((home) => forge(messageId, home)),
        newId(homeOf(messageId), 0, crypto.randomUUID()),
      ]) {
        for (const { client } of [one, two]) expect((await statuses(client, [id])).messages).toEqual([]);
        expect((await world.operator("GET", `/messages/${id}`)).status).toBe(404);
      }
      const prefix = one.link.slice("/l/".length, -10);
      for (const other of ["", two.link.slice("/l/".length, -10), "9999"]) {
        expect(other).not.toBe(prefix);
        expect((await world.fetch(`/l/${other}${one.link.slice(-10)}`)).status).toBe(404);
      }
    });

    it("take receipts for their own messages alone: not those of another carrier, nor with another home", async () => {
      const ids: string[] = [];
      for (const { websiteId, client } of brands) {
        await world.subscribers(websiteId, [`${WITHOUT_RECEIPT},w@example.com`]);
        ids.push(await world.send(client, { phone: WITHOUT_RECEIPT }));
      }
      await world.runQueues();
      const forged = ids.map((id, index) => {
        const [own, other] = [brands[index], brands[(index + 1) % websites]] as [Brand, Brand];
        expect(other.database).not.toBe(own.database);
        return forge(id, homeOf(other.messageId));
      });
      const receive = async (carrier: string, messageIds: string[], status: "DELIVERED" | "FAILED_TO_DELIVERY") => {
        posts = [];
        const optedOut = status === "FAILED_TO_DELIVERY";
        const about = { status, reason: null, carrierMessageId: null, optedOut };
        const receipts = messageIds.map((messageId) => ({ messageId, ...about }));
        await world.invoke("fetch", () => queueReceipts(world.deps, carrier, receipts));
        await world.runQueues();
      };
      const requireStatus = async (status: string) => {
        for (const [index, { client }] of brands.entries()) {
          const found = await statuses(client, [...ids, ...forged]);
          expect(found.messages).toMatchObject([{ messageId: ids[index], status }]);
          for (const id of [forged[index], forged.at(index - 1)]) {
            const headers = { "x-client-id": client.clientId, "x-client-secret": client.clientSecret };
            expect((await world.fetch(`/text/message/status?messageId=${id}`, { headers })).status).toBe(404);
          }
          const lookUp = await world.post("/text/subscription/status", client, { phone_numbers: [WITHOUT_RECEIPT] });
          expect(await lookUp.json()).toMatchObject({ phoneNumberStatuses: [{ subscriptionStatus: true }] });
        }
      };
      await receive("sandbox", forged, "FAILED_TO_DELIVERY");
      await receive("twilio", ids, "FAILED_TO_DELIVERY");
      expect(posts).toEqual([]);
      await requireStatus("SENDING");
      await receive("sandbox", ids, "DELIVERED");
      await requireStatus("DELIVERED");
      expect(new Set(posts.map(({ url, messageId }) => `${url} ${messageId}`))).toEqual(
        new Set(ids.map((id, index) => `https://${brands[index]?.websiteId}.example.com/ ${id}`)),
      );
      expect(posts).toHaveLength(websites);
    });

    it("get the texts that people send to their senders, and one person's STOP ends one website", async () => {
      for (const [index, brand] of brands.entries()) {
        await text(brand, index % 2 === 0 ? "STOP" : "hello", ADA, `in-${index}`);
      }
      await world.runQueues();
      for (const [index, { websiteId, database, client }] of brands.entries()) {
        const isStopped = index % 2 === 0;
        const answer = await world.post("/text/subscription/status", client, { phone_numbers: [ADA] });
        expect(await answer.json()).toMatchObject({ phoneNumberStatuses: [{ subscriptionStatus: !isStopped }] });
        const inbound = await world.operator("GET", `/websites/${websiteId}/inbound`);
        expect(((await inbound.json()) as { texts: unknown[] }).texts).toHaveLength(1);
        const replies = await rowsOf(
          database,
          `SELECT status FROM messages WHERE website_id = '${websiteId}' AND is_reply = 1`,
        );
        expect(replies).toEqual(isStopped ? [{ status: "DELIVERED" }] : []);
      }
      expect(await rowsOf("DB", "SELECT * FROM inbound_texts WHERE website_id = ''")).toEqual([]);
    });

    it("find a former sender's website, and the last to text somebody through a sender of nobody", async () => {
      const brand = brands.find(({ database }) => database === "DB_3") as Brand;
      await world.operator("PUT", `/websites/${brand.websiteId}`, { sender: "+16465559999" });
      await text(brand, "STOP", brand.phone, "to the former");
      await world.runQueues();
      const stranger = { ...(brands[1] as Brand), sender: "+16460000000" };
      await text(stranger, "STOP", stranger.phone, "to nobody's");
      for (const { client, phone } of [brand, stranger]) {
        const answer = await world.post("/text/subscription/status", client, { phone_numbers: [phone] });
        expect(await answer.json()).toMatchObject({ phoneNumberStatuses: [{ subscriptionStatus: false }] });
      }
    });

    it("are one to the operator: lists, searches, people, and the audit log", async () => {
      const list = (await (await world.operator("GET", "/websites")).json()) as { websites: { websiteId: string }[] };
      expect(list.websites.map(({ websiteId }) => websiteId)).toEqual(
        brands.map(({ websiteId }) => websiteId).toSorted(),
      );
      for (const { client } of brands) await world.send(client, { phone: ADA });
      const found = (await (await world.operator("GET", `/messages?phone=${encodeURIComponent(ADA)}`)).json()) as {
        messages: { websiteId: string }[];
      };
      expect(new Set(found.messages.map(({ websiteId }) => websiteId)).size).toBe(websites);
      const person = (await (await world.operator("GET", `/people/${ADA}`)).json()) as { websites: unknown[] };
      expect(person.websites).toHaveLength(websites);
      for (const { client } of brands) {
        expect((await world.operator("GET", `/clients/${client.clientId}`)).status).toBe(200);
        world.advance(1);
        for (let change = 0; change < Math.ceil(changes / websites); change++) {
          await world.operator("PATCH", `/clients/${client.clientId}`, { operations: ["send", "status"] });
          platform.keyWrites.clear();
        }
      }
      const seen: { requestId: string; at: string }[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await world.operator("GET", `/audit?cursor=${encodeURIComponent(cursor)}`);
        const { entries, next } = (await page.json()) as { entries: typeof seen; next: string | null };
        expect(entries.length).toBeLessThanOrEqual(100);
        seen.push(...entries);
        cursor = next;
      }
      const stored = await Promise.all(
        ["DB", ...otherNames(world)].map((name) => rowsOf(name, "SELECT request_id AS id FROM audit_log")),
      );
      expect(new Set(seen.map(({ requestId }) => requestId)).size).toBe(seen.length);
      expect(seen.map(({ requestId }) => requestId).sort()).toEqual(
        stored
          .flat()
          .map(({ id }) => id)
          .sort(),
      );
      expect(seen.length).toBeGreaterThan(changes);
      expect(seen.map(({ at }) => at)).toEqual(
        seen
          .map(({ at }) => at)
          .sort()
          .reverse(),
      );
    });
  });
}
