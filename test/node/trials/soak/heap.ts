// The JavaScript heap of one Worker's isolate and the buffers that it holds, through workerd's inspector.

interface Target {
  id: string;
  webSocketDebuggerUrl: string;
}

/** Runtime.getHeapUsage, bytes: what a buffer holds is no part of the used size. */
interface HeapUsage {
  usedSize?: number;
  backingStorageSize?: number;
}

interface Answer {
  id?: number;
  result?: HeapUsage;
  error?: { message: string };
}

export class HeapMeter {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  /** @param inspectorUrl of Workers that were started withInspector */
  static async open(inspectorUrl: URL | undefined, worker: string): Promise<HeapMeter> {
    if (!inspectorUrl) throw new Error("workerd runs without an inspector");
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

  /**
   * Bytes that are still in use once what is not has been collected.
   * @param wake gives the isolate something to do, for it answers only then
   */
  async afterCollection(wake: () => Promise<unknown>): Promise<number> {
    await this.#awake(() => this.#call("HeapProfiler.collectGarbage"), wake);
    return this.#awake(() => this.#used(), wake);
  }

  async #awake<T>(ask: () => Promise<T>, wake: () => Promise<unknown>): Promise<T> {
    let isAnswered = false;
    const answer = ask().finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) await wake();
    return answer;
  }

  close(): void {
    this.#socket.close();
  }

  /** An isolate may answer only while it has something to do. */
  async #used(): Promise<number> {
    const { usedSize = 0, backingStorageSize = 0 } = await this.#call("Runtime.getHeapUsage");
    return usedSize + backingStorageSize;
  }

  async #call(method: string): Promise<HeapUsage> {
    const id = ++this.#calls;
    this.#socket.send(JSON.stringify({ id, method }));
    const { result, error } = await new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }
}
