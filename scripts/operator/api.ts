/** Where the operator's calls go, and with which token. */
export interface Service {
  url: string;
  token: string;
}

export interface ErrorBody {
  code: number;
  message: string;
  details?: { field: string; message: string; line?: number; value?: string }[];
  requestId?: string;
}

/** The service answered, with an error. */
export class Refusal extends Error {
  readonly body: ErrorBody;

  constructor(body: ErrorBody) {
    super(body.message);
    this.body = body;
  }
}

/** Nothing answered. */
export class Unreachable extends Error {}

/** An import of 32 MB takes a while. */
const TIMEOUT_MILLISECONDS = 120_000;

/**
 * One call of /operator.
 * @param body bytes are sent as CSV, anything else as JSON
 * @returns the JSON that came back, as text, or metrics, or CSV
 * @throws Refusal, Unreachable
 */
export async function callOperator(
  { url, token }: Service,
  method: string,
  path: string,
  body?: Uint8Array<ArrayBuffer> | object,
): Promise<string> {
  const isCsv = body instanceof Uint8Array;
  const init: RequestInit = {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body ? { "content-type": isCsv ? "text/csv" : "application/json" } : {}),
    },
    // The token is not to follow to where somebody else points.
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    ...(body ? { body: isCsv ? body : JSON.stringify(body) } : {}),
  };
  const answer = await fetchText(`${url}/operator${path}`, init);
  const json = parseJson(answer.text);
  if (answer.ok && (json !== undefined || answer.isText)) return answer.text;
  throw new Refusal(isErrorBody(json) ? json : describeForeign(answer));
}

async function fetchText(url: string, init: RequestInit) {
  try {
    const answer = await fetch(url, init);
    const isText = /^text\/(plain; version=|csv)/.test(answer.headers.get("content-type") ?? "");
    // A file keeps its byte order mark.
    const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: isText }).decode(await answer.arrayBuffer());
    return { ok: answer.ok, status: answer.status, isText, text };
  } catch (error) {
    throw new Unreachable("no answer", { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorBody(json: unknown): json is ErrorBody {
  return typeof json === "object" && json !== null && "code" in json && "message" in json;
}

/** What stands between may answer too, and a Worker whose configuration is wrong answers in plain text. */
function describeForeign({ status, text }: { status: number; text: string }): ErrorBody {
  const [line = ""] = text.trim().split("\n");
  return { code: status * 100, message: `HTTP ${status}, and not in the form of this service: ${line.slice(0, 300)}` };
}
