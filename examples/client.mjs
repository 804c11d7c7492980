// A client of Textgate in Node 20.11 or newer. It prints one line for each answer: a label, and the answer as JSON.
//   TEXTGATE_URL=… CLIENT_ID=… CLIENT_SECRET=… node client.mjs send +12125550100 "Hello"
//   … node client.mjs schedule +12125550100 2026-11-27T09:00:00-05:00 "Hello" America/New_York US-NY
//   … node client.mjs cancel <messageId>
//   … node client.mjs subscriptions +12125550100 +12125550101
//   … node client.mjs subscriptions numbers.csv
//   … node client.mjs events [<cursor>]
//   … node client.mjs test-event
import { readFile } from "node:fs/promises";
// In your project: install the package as client/README.md says, and import from "textgate-client".
import { Textgate } from "../client/index.js";

const USAGE =
  "usage: client.mjs send <phone> <text> | schedule <phone> <time> <text> [<time zone> [<region>]] | cancel <messageId>… | subscriptions <phone>… | subscriptions <file.csv> | events [<cursor>] | test-event";

async function main([command, ...args]) {
  // A send gets a random Idempotency-Key. Give it one of your own, such as the id of an order, if you must be able to send the same
  // text again after a crash: send(message, { idempotencyKey: "order-4711-shipped" })
  const about = { callbackData: "{}", sendPurpose: "example" };
  if (command === "send" && args.length === 2) {
    const [phone, text] = args;
    print("sent", await connect().send({ phone, text, ...about }));
  } else if (command === "schedule" && args.length >= 3 && args.length <= 5) {
    // Where the person is decides the hours of marketing. Without a time zone and a region, the number tells.
    const [phone, sendAt, text, timeZone, region] = args;
    print("scheduled", await connect().send({ phone, text, sendAt, timeZone, region, ...about }));
  } else if (command === "cancel" && args.length > 0) {
    print("cancelled", await connect().cancel(args));
  } else if (command === "subscriptions" && args.length > 0) {
    const [file] = args;
    const list = file.endsWith(".csv") ? { csv_file: await readFile(file, "base64") } : { phone_numbers: args };
    print("subscriptions", await connect().subscriptionStatus(list));
  } else if (command === "events" && args.length <= 1) {
    const feed = connect().events({ after: args[0] });
    for await (const event of feed) print("event", event);
    print("next cursor", feed.cursor); // keep it once the events are stored
  } else if (command === "test-event" && args.length === 0) {
    print("test event", await connect().testEvent()); // what your endpoint has answered
  } else {
    throw new Error(USAGE);
  }
}

function connect() {
  return new Textgate({
    url: setting("TEXTGATE_URL"),
    clientId: setting("CLIENT_ID"),
    clientSecret: setting("CLIENT_SECRET"),
  });
}

function print(label, answer) {
  console.log(`${label}: ${JSON.stringify(answer)}`);
}

function setting(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing in the environment`);
  return value;
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message); // a TextgateError: its code, its message and its details
  process.exitCode = 1;
});
