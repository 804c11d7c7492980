import type { ClientAnswers } from "../../../src/operator/answers/clients.ts";
import { demoClientFile, keepRotated } from "../../demo.ts";
import type { Own } from "../command.ts";

/** The next `npm start` shows the new secrets of its client, and the examples read them from its file. */
export const ROTATE_CLIENT: Own = {
  run: async (_service, [id = ""], _values, ask) => {
    const answer = await ask();
    keepRotated(demoClientFile(), id, JSON.parse(answer) as ClientAnswers["NewSecrets"]);
    return answer;
  },
};
