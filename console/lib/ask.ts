import type { ErrorAnswer } from "../answers.ts";

/** A refusal of the console itself has no requestId. */
type Refusal = Omit<ErrorAnswer, "requestId"> & Partial<Pick<ErrorAnswer, "requestId">>;

/** What the service has answered in place of what was asked for; `status` 0: it has not answered at all. */
export class Failure extends Error {
  readonly status: number;
  readonly code: number;
  readonly requestId: string | null;
  readonly answer: Refusal | null;

  constructor(status: number, answer: Refusal | null, requestId: string | null) {
    super(answer?.message ?? (status === 0 ? "Textgate does not answer." : `Textgate answers ${status}.`));
    this.status = status;
    this.code = answer?.code ?? status * 100;
    this.requestId = answer?.requestId ?? requestId;
    this.answer = answer;
  }

  /** Whether another try may do: the service, or the way to it, is away. */
  get isAway(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429;
  }

  /** The count of now, where that of the page was not it any more. */
  get newCount(): number | null {
    return this.code === 40903 ? (this.answer?.details?.[0]?.count ?? null) : null;
  }
}

let whenSignedOut = () => {};

/** @param then called when a call is answered with 401 */
export function onSignedOut(then: () => void): void {
  whenSignedOut = then;
}

interface Options {
  method?: string;
  body?: unknown;
  /** In place of a body of JSON. */
  csv?: Blob;
}

/**
 * @returns undefined for 204
 * @throws Failure
 */
export async function ask<Answer>(path: string, options: Options = {}): Promise<Answer> {
  const response = await send(path, options);
  if (response.status === 204) return undefined as Answer;
  return (await response.json().catch(() => {
    throw new Failure(response.status, null, response.headers.get("x-request-id"));
  })) as Answer;
}

/**
 * The answer as it comes. The session's cookie goes with it; a changing call bears the header that no other site can send.
 * @throws Failure
 */
export async function send(path: string, { method = "GET", body, csv }: Options = {}): Promise<Response> {
  const type = csv ? "text/csv" : body === undefined ? undefined : "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
      headers: { "X-Console": "1", ...(type && { "Content-Type": type }) },
      ...(type && { body: csv ?? JSON.stringify(body) }),
    });
  } catch {
    throw new Failure(0, null, null);
  }
  if (response.ok) return response;
  const answer = (await response.json().catch(() => null)) as ErrorAnswer | null;
  if (response.status === 401 && path !== "/console/session") whenSignedOut();
  throw new Failure(response.status, answer, response.headers.get("x-request-id"));
}

/** Gives the answer to the reader as a file. */
export async function download(path: string, name: string): Promise<void> {
  saveFile(await (await send(path)).blob(), name);
}

export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
