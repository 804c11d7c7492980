// The JavaScript heap of one Worker's isolate, through workerd's inspector.

interface Target {
  id: string;
  webSocketDebuggerUrl: string;
}

const EVERY_MILLISECONDS = 20;

export class HeapMeter {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: { usedSize?: number }) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: { usedSize?: number } };
      if (id === undefined) return;
      this.#waiting.get(id)?.(result ?? {});
      this.#waiting.delete(id);
    });
  }

  static async open(inspectorUrl: URL, worker: string): Promise<HeapMeter> {
    const targets = (await (await fetch(new URL("/json", inspectorUrl))).json()) as Target[];
    const target = targets.find(({ id }) => id.includes(worker));
    if (!target) throw new Error(`the inspector knows no worker ${worker}: ${targets.map(({ id }) => id).join(", ")}`);
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", reject);
    });
    return new HeapMeter(socket);
  }

  /** Looks every 20 ms until it is stopped. @returns the most that was seen */
  watch(): { stop(): number } {
    let peak = 0;
    const look = () => {
      void this.#used().then((bytes) => {
        peak = Math.max(peak, bytes);
      });
    };
    const timer = setInterval(look, EVERY_MILLISECONDS);
    look();
    return {
      stop: () => {
        clearInterval(timer);
        return peak;
      },
    };
  }

  close(): void {
    this.#socket.close();
  }

  /** An isolate may answer only while it has something to do. */
  async #used(): Promise<number> {
    return (await this.#call("Runtime.getHeapUsage")).usedSize ?? 0;
  }

  #call(method: string): Promise<{ usedSize?: number }> {
    const id = ++this.#calls;
    this.#socket.send(JSON.stringify({ id, method }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}
