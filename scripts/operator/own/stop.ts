// `hold` and `cancel`: what a typing error in a purpose would hide, and what cannot be undone.
import { nearestOf } from "../../../src/domain/operations/nearest.ts";
import type { WaitingAnswers } from "../../../src/operator/answers/waiting.ts";
import { callOperator, type Service } from "../api.ts";
import { type Own, toQuery, UsageError, type Values } from "../command.ts";
import { printable } from "../table.ts";

export const HOLD: Own = {
  run: async (service, [websiteId = ""], values, ask) => {
    const answer = await ask();
    const { held } = JSON.parse(answer) as { held: number };
    if (held === 0) await tellPurposes(service, websiteId, values, "The hold is for messages that come later.");
    return answer;
  },
};

export const CANCEL: Own = {
  options: { yes: { summary: "Required for a whole website, because it cannot be undone." } },
  run: async (service, [websiteId = ""], values, ask) => {
    const isWhole = !values.purpose && !values.client;
    if (isWhole && !values["dry-run"] && !values.yes) {
      throw new UsageError(
        `this cancels every pending message of ${websiteId}, and cannot be undone: give --purpose or --client, --dry-run to count, or --yes`,
      );
    }
    const answer = await ask();
    const { cancelled } = JSON.parse(answer) as { cancelled: number };
    if (cancelled === 0) await tellPurposes(service, websiteId, values, "Nothing is cancelled.");
    return answer;
  },
};

/** On stderr, beside the answer: a purpose that no message has looks like success otherwise. */
async function tellPurposes(service: Service, website: string, { purpose }: Values, effect: string): Promise<void> {
  if (typeof purpose !== "string") return;
  const counts = await countPurposes(service, website);
  const waiting = [...counts].map(([name, count]) => `${printable(name)} ${count.toLocaleString("en-US")}`);
  const nearest = nearestOf(purpose, [...counts.keys()]);
  console.error(
    [
      `No waiting message of ${website} has the purpose "${printable(purpose)}". ${effect}`,
      `Waiting now: ${waiting.join(", ") || "nothing"}.`,
      ...(nearest ? [`Did you mean ${printable(nearest)}?`] : []),
    ].join("\n"),
  );
}

async function countPurposes(service: Service, website: string): Promise<Map<string, number>> {
  const answer = await callOperator(service, "GET", `/waiting${toQuery({ website })}`);
  const { groups } = JSON.parse(answer) as WaitingAnswers["WaitingMessages"];
  const counts = new Map<string, number>();
  for (const { sendPurpose, count } of groups.flatMap(({ rows }) => rows))
    counts.set(sendPurpose, (counts.get(sendPurpose) ?? 0) + count);
  return counts;
}
