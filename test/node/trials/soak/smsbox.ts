// What stands for Kannel: it takes every text, and its receipts are given when the soak asks for them.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface TakenText {
  /** E.164 */
  to: string;
  text: string;
  /** The path of the URL that its receipts go to, for a type as Kannel's bit mask has it. */
  receiptPath(type: number): string;
}

export async function startSmsbox() {
  let taken: TakenText[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { pathname, search } = new URL(String(request.headers["x-kannel-dlr-url"]));
    taken.push({
      to: String(request.headers["x-kannel-to"]),
      text: Buffer.concat(chunks).toString(),
      receiptPath: (type) => `${pathname}${search.replace("%d", String(type)).replace("%A", "ACK")}`,
    });
    response.writeHead(202).end("0: Accepted for delivery");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cgi-bin/sendsms`,
    /** What it has taken since it was last asked. */
    take(): TakenText[] {
      const texts = taken;
      taken = [];
      return texts;
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

export type Smsbox = Awaited<ReturnType<typeof startSmsbox>>;
