import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { StartError } from "./start-options.ts";

/**
 * @param port 0: any
 * @returns a port that nobody listens at
 * @throws StartError when the port is taken, or the address is not of this machine
 */
export async function requireFreePort(port: number, ip: string): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port, ...(ip === "*" ? {} : { host: ip }) });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (error) {
    throw new StartError(explain(error as NodeJS.ErrnoException, port, ip));
  } finally {
    server.close();
  }
}

function explain({ code, message }: NodeJS.ErrnoException, port: number, ip: string): string {
  if (code === "EADDRINUSE") {
    const next = port < 65_535 ? port + 1 : port - 1;
    return `Port ${port} is in use. Choose another: npm start -- --port ${next}`;
  }
  if (code === "EACCES")
    return `Port ${port} is for the system's own services. Choose another: npm start -- --port 8787`;
  return `Cannot listen at ${ip}, port ${port}: ${message}`;
}
