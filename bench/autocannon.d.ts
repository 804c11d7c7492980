/** What the bench uses of autocannon, which comes without types. */
declare module "autocannon" {
  interface Client {
    setRequests(requests: { method: string; path: string; headers: Record<string, string>; body?: string }[]): void;
  }

  interface Result {
    errors: number;
    statusCodeStats: Record<string, { count: number }>;
  }

  interface Load extends Promise<Result> {
    on(
      event: "response",
      listener: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ): this;
  }

  export default function autocannon(options: {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds. */
    sampleInt: number;
    setupClient: (client: Client) => void;
  }): Load;
}
