import type { JSX } from "preact";
import type { SessionList } from "../answers.ts";
import { ask } from "../lib/ask.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Section, Table, Two } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { tellDone } from "../parts/toast.tsx";

/** Who is signed in. One that is ended is refused with its next request. */
export function Sessions(): JSX.Element {
  const { data, failure, reload } = useAnswer<SessionList>("/operator/sessions", 60, false);
  const ending = useAct();
  const end = (sessionId: string, operator: string) =>
    ending.run(async () => {
      await ask(`/operator/sessions/${sessionId}`, { method: "DELETE" });
      tellDone(`A session of ${operator} is ended.`);
      reload();
    });
  return (
    <Section title="Sessions" of="signed in here">
      <FailureLine failure={ending.failure ?? (data ? null : failure)} />
      {data && (
        <Table
          label="Sessions"
          rows={data.sessions}
          keyOf={({ sessionId }) => sessionId}
          columns={[
            [
              "Operator",
              ({ operator, role, isThis }) => <Two first={operator} second={isThis ? `${role}, this one` : role} />,
              "head",
            ],
            ["Last used", ({ lastUsedAt }) => <Time at={lastUsedAt} />, "right"],
            ["Ends", ({ expiresAt }) => <Time at={expiresAt} />, "named"],
            [
              "End",
              ({ sessionId, operator, isThis }) =>
                !isThis && (
                  <ActButton
                    isSmall
                    isOff={ending.isBusy}
                    of={`the session of ${operator}`}
                    onPress={() => void end(sessionId, operator)}
                  >
                    End
                  </ActButton>
                ),
              "number right acts",
            ],
          ]}
        />
      )}
    </Section>
  );
}
