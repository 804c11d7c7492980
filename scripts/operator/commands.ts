import { AUDIT_COMMANDS } from "./audit.ts";
import { CARRIER_COMMANDS } from "./carriers.ts";
import { CLIENT_COMMANDS } from "./clients.ts";
import type { Command } from "./command.ts";
import { DATABASE_COMMANDS } from "./databases.ts";
import { DEAD_JOB_COMMANDS } from "./dead-jobs.ts";
import { HOLD_COMMANDS } from "./holds.ts";
import { INBOUND_COMMANDS } from "./inbound.ts";
import { MESSAGE_COMMANDS } from "./messages.ts";
import { PEOPLE_COMMANDS } from "./people.ts";
import { REPORT_COMMANDS } from "./reports.ts";
import { SERVICE_STATE_COMMANDS } from "./service-state.ts";
import { SUBSCRIBER_COMMANDS } from "./subscribers.ts";
import { TOKEN_COMMANDS } from "./tokens.ts";
import { WEBSITE_COMMANDS } from "./websites.ts";

/** In the order of the help. */
export const COMMANDS: Command[] = [
  ...WEBSITE_COMMANDS,
  ...CLIENT_COMMANDS,
  ...HOLD_COMMANDS,
  ...SUBSCRIBER_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...INBOUND_COMMANDS,
  ...REPORT_COMMANDS,
  ...MESSAGE_COMMANDS,
  ...SERVICE_STATE_COMMANDS,
  ...DATABASE_COMMANDS,
  ...CARRIER_COMMANDS,
  ...DEAD_JOB_COMMANDS,
  ...TOKEN_COMMANDS,
  ...AUDIT_COMMANDS,
];
