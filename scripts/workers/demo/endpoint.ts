// The endpoints of the demo's platforms, which the local Worker has itself: one takes every callback, and one takes none.

export const ENDPOINT = "/local/endpoint";
export const FAILING_ENDPOINT = "/local/endpoint/failing";

export function answerCallback(pathname: string): Response {
  if (pathname === ENDPOINT) return Response.json({ taken: true });
  return Response.json({ error: "the queue of events is full" }, { status: 503 });
}
