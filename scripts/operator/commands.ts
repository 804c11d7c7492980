import type { Call } from "../../src/http/call.ts";
import { loadSource } from "../load-source.ts";
import type { Command, Own } from "./command.ts";
import { makeCommand } from "./from-calls.ts";
import { IMPORT_FILE } from "./import/command.ts";
import { HEALTH, WATCH } from "./own/health.ts";
import { MESSAGE } from "./own/message.ts";
import { PUT_BACK, UNDO_IMPORT } from "./own/repeated.ts";
import { ROTATE_CLIENT } from "./own/rotate-client.ts";
import { CANCEL, HOLD } from "./own/stop.ts";

const { CALLS } = (await loadSource("calls.ts")) as { CALLS: Call[] };

/** The commands that do more than to ask and to print a table. */
const OWN: Record<string, Own> = {
  "rotate-client": ROTATE_CLIENT,
  hold: HOLD,
  cancel: CANCEL,
  "import-subscribers": IMPORT_FILE,
  "undo-import": UNDO_IMPORT,
  // A document to be kept in a file.
  "export-person": { show: (answer) => JSON.stringify(JSON.parse(answer), null, 2) },
  message: MESSAGE,
  health: HEALTH,
  "put-back": PUT_BACK,
};

const byName = Map.groupBy(CALLS, ({ command }) => command?.name);

/** In the order of the help: that of the calls. */
export const COMMANDS: Command[] = [...byName].flatMap(([name, calls]) =>
  name === undefined ? [] : [makeCommand(name, calls, OWN[name]), ...(name === "health" ? [WATCH] : [])],
);
