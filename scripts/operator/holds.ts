import type { HoldAnswers } from "../../src/http/operator/holds.ts";
import { callOperator } from "./api.ts";
import { type Command, type Option, segment, type Values } from "./command.ts";

const FILTER: Record<string, Option> = {
  purpose: { value: "<sendPurpose>", summary: "only messages with this sendPurpose" },
  client: { value: "<clientId>", summary: "only messages of this client" },
};

const toFilter = ({ purpose, client }: Values) => ({ sendPurpose: purpose, clientId: client });

/** @param more the call has not looked at all of them */
const repeatIf = (more: true | undefined) => (more ? " There are more: repeat it." : "");

const texts = (count: number) => `${count} waiting ${count === 1 ? "message" : "messages"}`;

export const HOLD_COMMANDS: Command[] = [
  {
    name: "hold",
    parameters: ["<websiteId>"],
    summary: "keep what waits from being sent, and what is accepted later; twice is harmless",
    options: FILTER,
    notes: "What a run has claimed goes, ten messages or so. After SUBMIT_WITHIN_HOURS a held message fails.",
    run: (service, [id], values) => callOperator(service, "POST", `/websites/${segment(id)}/hold`, toFilter(values)),
    show: (answer) => `${texts((JSON.parse(answer) as HoldAnswers["HeldMessages"]).held)} held.`,
  },
  {
    name: "release",
    parameters: ["<websiteId>"],
    summary: "send what is held; without options, all that is held of the website",
    options: FILTER,
    run: (service, [id], values) => callOperator(service, "POST", `/websites/${segment(id)}/release`, toFilter(values)),
    show: (answer) => {
      const { released, more } = JSON.parse(answer) as HoldAnswers["ReleasedMessages"];
      return `${texts(released)} released.${repeatIf(more)}`;
    },
  },
  {
    name: "cancel",
    parameters: ["<websiteId>"],
    summary: "end what waits or is held: FAILED_TO_SEND",
    options: { ...FILTER, "dry-run": { summary: "count it, and change nothing" } },
    notes: "Count first, with --dry-run. New messages are accepted meanwhile: hold them first.",
    run: (service, [id], values) => {
      const dryRun = values["dry-run"] === true;
      return callOperator(service, "POST", `/websites/${segment(id)}/cancel`, { ...toFilter(values), dryRun });
    },
    show: (answer) => {
      const { cancelled, more } = JSON.parse(answer) as HoldAnswers["CancelledMessages"];
      return `${texts(cancelled)}.${repeatIf(more)}`;
    },
  },
];
