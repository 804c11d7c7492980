// Servers of the tests on loopback.
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Keeps idle connections open. After Node's 5 seconds a busy test would end one just as the service takes it up again, and the
 * outcome of that request would be unknown.
 * @param port 0: the system chooses one
 * @returns where it listens
 */
export async function listen(server: Server, port = 0): Promise<{ origin: string; port: number }> {
  server.keepAliveTimeout = 0;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${address.port}`, port: address.port };
}

/** Ends open connections too. */
export async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** @throws Error when it breaks off */
export async function readBody(request: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
