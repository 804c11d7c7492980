import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RecentPeople } from "../answers.ts";
import { isEmail, isPhone } from "../lib/phones.ts";
import { toHash } from "../lib/router.ts";
import { findPerson } from "../lib/search.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { FailureLine } from "../parts/button.tsx";
import { CommandLine } from "../parts/copy.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { MaskedText } from "../parts/masked.tsx";
import { FailedPage, LoadingPage, Page } from "../parts/page.tsx";
import { Head, Rows, Section } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";

export function People(): JSX.Element {
  const { data, failure, reload } = useAnswer<RecentPeople>("/operator/people/recent", 60);
  if (!data)
    return failure ? <FailedPage failure={failure} title="People" onRetry={reload} /> : <LoadingPage title="People" />;
  return (
    <Page
      title="People"
      lead="Find one by number or e-mail address: consent, texts to them and from them, over all websites."
    >
      <Find />
      <Section title="By their own word" of="the last who opted out or in">
        {data.people.length === 0 ? (
          <>
            <p>Nobody has texted STOP or START yet. To see one person from a shell:</p>
            <CommandLine line="npm run operator -- find-person +12065550142" />
          </>
        ) : (
          <Recent people={data.people} />
        )}
      </Section>
      {data.people.length > 0 && <FromShell line="npm run operator -- find-person +12065550142" />}
    </Page>
  );
}

/** The number is exchanged for an id before it could get into an address. */
function Find(): JSX.Element {
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const finding = useAct();
  const find = (event: Event) => {
    event.preventDefault();
    const given = text.trim();
    setWrong(!isPhone(given) && !isEmail(given));
    if (isPhone(given) || isEmail(given))
      void finding.run(async () => go(toHash(["people", (await findPerson(given)).personId])));
  };
  return (
    <search>
      <form class="search filters" onSubmit={find}>
        <Icon name="search" />
        <input
          type="search"
          value={text}
          placeholder="+1 206 555 0142, or ada@example.com"
          aria-label="Number or e-mail address of a person"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
      {isWrong && <p class="hint">A number begins with + and its country: +1 206 555 0142.</p>}
      {finding.failure?.status === 404 ? (
        <p class="failure-line">Nobody has this number or address here.</p>
      ) : (
        <FailureLine failure={finding.failure} />
      )}
    </search>
  );
}

function Recent({ people }: RecentPeople): JSX.Element {
  return (
    <Rows class="phone" label="People who opted out or in by themselves">
      <Head columns={["Person", "They wrote", "When", "Since then"]} />
      <tbody>
        {people.map(({ personId, phone, websiteName, what, text, at }) => (
          <tr key={`${personId} ${at}`}>
            <td>
              <a class="row-link" href={`#/people/${encodeURIComponent(personId)}`}>
                <MaskedText phone={phone} />
              </a>
              <span class="second">{websiteName}</span>
            </td>
            <td class="right">“{text}”</td>
            <td>
              <Time at={at} />
            </td>
            <td class="right">
              <Status
                look={
                  what === "opted-out"
                    ? { word: "Opted out", shape: "none", tone: "plain" }
                    : { word: "Subscribed", shape: "delivered", tone: "ok" }
                }
              />
            </td>
          </tr>
        ))}
      </tbody>
    </Rows>
  );
}
