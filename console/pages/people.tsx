import type { JSX } from "preact";
import type { RecentPeople } from "../answers.ts";
import { personHash } from "../lib/addresses.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { CommandLine } from "../parts/copy.tsx";
import { FromShell } from "../parts/empty.tsx";
import { MaskedText } from "../parts/masked.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Head, Rows, Section } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";

export function People(): JSX.Element {
  const { data, failure, reload } = useAnswer<RecentPeople>("/operator/people/recent", 60);
  if (!data) return <NoAnswer failure={failure} title="People" onRetry={reload} />;
  return (
    <Page
      title="People"
      lead="Find one by number or e-mail address: consent, texts to them and from them, over all websites."
    >
      <SearchBox placeholder="+1 206 555 0142, or ada@example.com" />
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

function Recent({ people }: RecentPeople): JSX.Element {
  return (
    <Rows class="phone" label="People who opted out or in by themselves">
      <Head columns={["Person", "They wrote", "When", "Since then"]} />
      <tbody>
        {people.map(({ personId, phone, websiteName, what, text, at }) => (
          <tr key={`${personId} ${at}`}>
            <td>
              <a class="row-link" href={personHash(personId)}>
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
