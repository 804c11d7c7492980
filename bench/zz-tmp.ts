// temporary, not committed
import { makeScratch } from "../test/node/harness/scratch.ts";
import { buildWorkers } from "./build.ts";
import { timeCpu } from "./cpu.ts";
import { HeapMeter } from "./heap.ts";
import { post } from "./load.ts";
import { createClient, createWebsite, digitsAt } from "./seed.ts";
import { start } from "./service.ts";

const MIB = 1024 ** 2;
const directory = await makeScratch(5_000_000);
await buildWorkers(directory);
const workers = await start({ directory, names: ["service"] as const, withConsumers: false });
const heap = await HeapMeter.open(workers.inspectorUrl, "service");
const targets = (await (await fetch(new URL("/json", workers.inspectorUrl))).json()) as any[];
const socket = new WebSocket(targets.find(({ id }) => id.includes("service")).webSocketDebuggerUrl);
await new Promise((r) => socket.addEventListener("open", r));
const ask = async (method: string) => {
  const answer = new Promise<any>((r) =>
    socket.addEventListener("message", ({ data }) => r(JSON.parse(String(data)).result), { once: true }),
  );
  socket.send(JSON.stringify({ id: Math.floor(Math.random() * 1e9), method }));
  let done = false;
  void answer.then(() => {
    done = true;
  });
  while (!done) await fetch(`${workers.url.service}/health`);
  return answer;
};
const usage = async () => {
  const { usedSize, backingStorageSize, totalSize } = await ask("Runtime.getHeapUsage");
  return `${(usedSize / MIB).toFixed(1)} used of ${(totalSize / MIB).toFixed(1)} + ${(backingStorageSize / MIB).toFixed(1)} backing`;
};
const only = process.argv.slice(2);
const measure = async (what: string, work: () => Promise<{ body: string; milliseconds: number }>) => {
  const peak = await heap.watch(() => fetch(`${workers.url.service}/health`));
  const [{ body }, cpu] = await timeCpu(workers.pid, work);
  const after = await usage();
  const bytes = await peak.stop();
  await ask("HeapProfiler.collectGarbage");
  console.log("   after", after, "| collected", await usage());
  console.log(what, (cpu ?? 0) / 1000, "s CPU", (bytes / MIB).toFixed(1), "MiB", body.slice(0, 120));
};
const fileOf = (mib: number, row: (index: number) => string, header = "phone_numbers\n") => {
  const lines = [header];
  let bytes = header.length;
  for (let index = 0; ; index++) {
    const line = row(index);
    bytes += line.length;
    if (bytes > mib * MIB) return lines.join("");
    lines.push(line);
  }
};
const importInto = async (website: string, authorization: object, file: string) =>
  post(`${website}/subscribers`, { ...authorization, "content-type": "text/csv" } as Record<string, string>, file);
const numbers = (mib: number) => fileOf(mib, (i) => `+${digitsAt(i)}\n`);
const emails = (mib: number) =>
  fileOf(mib, (i) => `+${digitsAt(i)},firstname.lastname${i}@example.com\n`, "phone_numbers,email\n");
const oneEmail = (mib: number) =>
  fileOf(mib, (i) => `+${digitsAt(i)},nobody.has.an.address@example.com\n`, "phone_numbers,email\n");
{
  const { website, authorization } = await createWebsite(workers, "warm");
  await measure("warm-up 2 MiB", () => importInto(website, authorization, numbers(2)));
}
if (only.includes("lists")) {
  const client = await createClient(workers, "lists");
  const csv = fileOf(
    5.9,
    (i) => `+${digitsAt(i)},firstname.lastname${i}@example.com,${"x".repeat(70)}\n`,
    "phone_numbers,email,note\n",
  )
    .split("\n")
    .slice(0, 50_001)
    .join("\n");
  const body = JSON.stringify({ csv_file: Buffer.from(csv).toString("base64"), sendPurpose: "a" });
  console.log("body", (body.length / MIB).toFixed(1));
  for (const path of ["subscribe", "unsubscribe", "subscription/status", "subscribe"])
    await measure(path, () => post(`${workers.url.service}/text/${path}`, client.headers, body));
}
for (const [name, make] of Object.entries({ emails, oneEmail, numbers })) {
  if (!only.includes(name)) continue;
  const { website, authorization } = await createWebsite(workers, name.toLowerCase());
  await measure(`${name} 32 MiB`, () => importInto(website, authorization, make(32)));
  await measure(`${name} again`, () => importInto(website, authorization, make(32)));
}
for (const count of [1, 1000]) {
  if (!only.includes(`erased${count}`)) continue;
  const { website, authorization } = await createWebsite(workers, `erased-${count}`);
  for (let i = 0; i < count; i++)
    await fetch(`${website}/people/%2B${digitsAt(i * 3)}`, { method: "DELETE", headers: authorization });
  await measure(`erased ${count}, 8 MiB`, () => importInto(website, authorization, numbers(8)));
  await measure(`erased ${count}, again`, () => importInto(website, authorization, numbers(8)));
}
heap.close();
await workers.close();
