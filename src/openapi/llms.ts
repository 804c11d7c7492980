// public/llms.txt: what a language model reads first of a running service, as llmstxt.org has it.
import { CALLS } from "../calls.ts";

const HEAD = `# Textgate

> A service that sends text messages (SMS, MMS) for client platforms, and keeps which numbers are subscribed to a brand's texts.

- A client sends \`X-Client-ID\` and \`X-Client-Secret\` with each request, and JSON with each POST. The operator of the service issues both.
- Texts go to subscribed numbers only. Numbers are in E.164, such as \`+12125550100\`.
- Send each text with an \`Idempotency-Key\` of its own. After 408, 429, 5xx or no answer, wait for \`Retry-After\` and repeat the same request with the same key: it sends nothing twice. Any other error stays until the request is changed.
- An accepted text is stored, not yet delivered. Its outcome comes by callback, or from \`GET /text/message/status\`.
- Callbacks are posted once, and signed as in Standard Webhooks. Verify them over the raw body. \`GET /text/events\` has those that were missed.
- Errors are \`{"code", "message", "details", "requestId"}\`. \`code\` never changes its meaning, and \`message\` may.

## Reference

- [OpenAPI 3.1](/openapi.json): every call, field, answer, error code and callback
- [The API for clients](/docs): the same to read and to try, with a quick start
- [The API for the operator and for carriers](/docs/operator)
`;

export function makeLlmsText(): string {
  const ofClients = CALLS.filter(({ access }) => typeof access === "object");
  const lines = ofClients.map(({ method, path, id, summary, description }) => {
    const [first = ""] = description.split("\n");
    return `- [${method} ${path}](/docs#${id}): ${summary}. ${first}`;
  });
  return `${HEAD}\n## Calls of a client\n\n${lines.join("\n")}\n`;
}
