import { DEMO_PHONES, DEMO_SUBSCRIBERS, type DemoClient } from "./demo.ts";
import { toTable } from "./operator/table.ts";

/** The service that the operator's command calls by default. */
export const DEFAULT_URL = "http://127.0.0.1:8787";

const RECEIVER_PORT = 9999;

export interface Started {
  url: string;
  client: DemoClient;
  /** The address at which the console opens signed in. */
  console: string;
  /** Where the client's secrets are kept. */
  clientFile: string;
  /** The operator's token is not in .dev.vars, where the operator's command looks for it. */
  tokenIsElsewhere: boolean;
  /** The operator's command finds the service without its URL. */
  isFound: boolean;
}

/** What somebody who sees the service for the first time does next. Each command is one line, for bash and zsh. */
export function nextSteps({ url, client, console, clientFile, tokenIsElsewhere, isFound }: Started): string {
  const flags = [
    isFound || url === DEFAULT_URL ? "" : ` --url ${url}`,
    tokenIsElsewhere ? " --token <OPERATOR_TOKEN>" : "",
  ].join("");
  const message = { phone: DEMO_PHONES[0], text: "Hello from Textgate", callbackData: "{}", sendPurpose: "first-text" };
  return `
Textgate is running at ${url}.
The website "demo" uses the sandbox carrier, so no text leaves this machine.
Every call, to read and to try: ${url}/docs
The operators' console, signed in: ${console}

Test numbers, and the outcome that each one produces:

${toTable(DEMO_SUBSCRIBERS.map(({ phone, email, outcome }) => [phone, email, outcome]))}

Send a text:

${curl(`${url}/text/message/send`, client, message)}

It goes at any hour, because its purpose is transactional, as are those of the examples. A text with another purpose is marketing: at
night where the person is, it waits until morning, and its answer says until when (scheduledFor).

Look up the message. Use the messageId from the response:

npm run operator -- message <messageId>${flags}

Ask who is subscribed:

${curl(`${url}/text/subscription/status`, client, { phone_numbers: [...DEMO_PHONES, "+12125550199"] })}

Receive callbacks: run a receiver in another terminal, give the client its URL, and send again.

${receiver()}
npm run operator -- change-client ${client.clientId} --callback-url http://127.0.0.1:${RECEIVER_PORT}/${flags}

Each callback is signed. The signing secret is callbackSecret in ${clientFile}
Press Ctrl-C to stop. Your data is kept. The log starts here:
`;
}

function curl(url: string, client: DemoClient, body: object): string {
  const headers = [
    `X-Client-ID: ${client.clientId}`,
    `X-Client-Secret: ${client.clientSecret}`,
    "Content-Type: application/json",
  ];
  return `curl -sS '${url}' ${headers.map((header) => `-H '${header}'`).join(" ")} -d '${JSON.stringify(body)}'`;
}

function receiver(): string {
  const onRequest = "(i, o) => { i.pipe(process.stdout, { end: false }); i.on('end', () => o.end('\\n')) }";
  return `node -e "require('node:http').createServer(${onRequest}).listen(${RECEIVER_PORT}, '127.0.0.1')"`;
}
