import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";

test("a journey's request is never lost on a connection that the service was just closing", async () => {
  const known = new WeakSet<object>();
  const server = createServer(({ socket }, response) => {
    if (known.has(socket)) socket.destroy();
    else response.end("thanks");
    known.add(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (let request = 0; request < 3; request++) {
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "{}" });
    expect(await answer.text()).toBe("thanks");
  }
  server.close();
});
