import type { JSX } from "preact";
import type { Person, PersonAtWebsite } from "../answers.ts";
import { personPath } from "../lib/addresses.ts";
import { ask, download } from "../lib/ask.ts";
import { countOf, formatCount, listOf, sumOf } from "../lib/numbers.ts";
import { formatPhone, maskEmail, maskPhone } from "../lib/phones.ts";
import { pathOf, type Route, toHash } from "../lib/router.ts";
import { commandOf } from "../lib/shell-command.ts";
import { type Look, OPTED_OUT, SUBSCRIBED } from "../lib/status-words.ts";
import { useAct } from "../lib/use-act.ts";
import { useAnswer } from "../lib/use-answer.ts";
import { go } from "../lib/use-route.ts";
import { ActButton, FailureLine } from "../parts/button.tsx";
import { Asking, Confirm } from "../parts/confirm.tsx";
import { FromShell } from "../parts/empty.tsx";
import { Masked, MaskedText } from "../parts/masked.tsx";
import { NoAnswer, Page } from "../parts/page.tsx";
import { Tabs } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { Time, useNow } from "../parts/time.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { tellDone } from "../parts/toast.tsx";
import { OptOut } from "./opt-out.tsx";
import { OptOutProof } from "./person-proof.tsx";
import { isOptedOut, type Kind, nameOfSite, stepsOfPerson } from "./person-steps.tsx";

export function PersonPage({ route }: { route: Route }): JSX.Element {
  const id = route.path[1] ?? "";
  // Asked for once: each look is in the audit log.
  const { data, failure, reload } = useAnswer<Person>(personPath(id));
  if (!data) return <NoAnswer failure={failure} title="Person" onRetry={reload} />;
  return <Known person={data} id={id} show={(route.query.show ?? "all") as Kind | "all"} reload={reload} />;
}

const TABS: [label: string, kind: Kind | "all"][] = [
  ["Everything", "all"],
  ["Consent", "consent"],
  ["Texts to them", "out"],
  ["From them", "in"],
];

interface OfPerson {
  person: Person;
  id: string;
  reload: () => void;
}

function Known({ person, id, show, reload }: OfPerson & { show: Kind | "all" }): JSX.Element {
  const now = useNow(60);
  const steps = stepsOfPerson(person);
  const masked = formatPhone(maskPhone(person.phone));
  const optedOut = person.websites.filter((it) => it.optedOutByPerson);
  const ofKind = (kind: Kind | "all") => steps.filter(({ kinds }) => kind === "all" || kinds.includes(kind));
  const shown = ofKind(show);
  return (
    <Page
      title={masked}
      heading={<Masked phone={person.phone} personId={person.personId ?? id} />}
      crumbs={[{ label: "People", href: "#/people" }, { label: <MaskedText phone={person.phone} /> }]}
      lead={leadOf(person)}
      acts={<Acts person={person} id={id} masked={masked} reload={reload} />}
    >
      <div class="story-columns">
        <div>
          <Tabs
            label="What to show"
            tabs={TABS.map(([label, kind]) => ({
              label,
              count: formatCount(ofKind(kind).length),
              href: toHash(["people", id], { show: kind === "all" ? null : kind }),
              isCurrent: kind === show,
            }))}
          />
          {shown.length > 0 ? (
            <Timeline label="Everything, the newest first" steps={shown} precision="seconds" now={now} />
          ) : (
            <p>Nothing is kept of this person here.</p>
          )}
          <FromShell line={commandOf("find-person", [id])} />
        </div>
        <aside class="first" aria-label="Proof and websites">
          {optedOut.map((site) => (
            <OptOutProof key={site.websiteId} site={site} person={person} />
          ))}
          <section class="card">
            <h2>Websites</h2>
            <dl class="facts">
              {person.websites.map((site) => (
                <SiteLine key={site.websiteId} {...{ site, id, reload }} />
              ))}
            </dl>
            {person.websites.length === 0 && <p>No website knows this number.</p>}
          </section>
        </aside>
      </div>
    </Page>
  );
}

const NOT_SUBSCRIBED: Look = { ...OPTED_OUT, word: "Not subscribed" };

interface SiteProps extends Omit<OfPerson, "person"> {
  site: PersonAtWebsite;
}

function SiteLine({ site, id, reload }: SiteProps): JSX.Element {
  const { websiteId, subscribed } = site;
  const name = nameOfSite(site);
  return (
    <>
      <dt>
        {websiteId ? <a href={`#/websites/${websiteId}`}>{name}</a> : name}
        {site.email && <span class="second">{maskEmail(site.email)}</span>}
        {site.faults?.unreachableSince && (
          <span class="second">
            Unreachable since <Time at={site.faults.unreachableSince} />: {countOf(site.faults.texts, "text")} failed,{" "}
            {site.faults.code}
          </span>
        )}
      </dt>
      <dd>
        <Status look={subscribed ? SUBSCRIBED : isOptedOut(site) ? OPTED_OUT : NOT_SUBSCRIBED} />{" "}
        {subscribed && websiteId && (
          <Asking
            isSmall
            of={name}
            dialog={(onClose) => <OptOut personId={id} {...{ websiteId, name, reload, onClose }} />}
          >
            Opt out…
          </Asking>
        )}
      </dd>
    </>
  );
}

function leadOf({ websites }: Person): string {
  const of = (sites: PersonAtWebsite[]) => listOf(sites.map(nameOfSite));
  const groups: [string, PersonAtWebsite[]][] = [
    ["Subscribed to", websites.filter((it) => it.subscribed)],
    ["Opted out of", websites.filter(isOptedOut)],
    ["Not subscribed to", websites.filter((it) => !it.subscribed && !isOptedOut(it) && it.websiteId)],
  ];
  return (
    groups.flatMap(([words, sites]) => (sites.length > 0 ? [`${words} ${of(sites)}.`] : [])).join(" ") ||
    "No website knows this number."
  );
}

function Acts({ person, id, masked, reload }: OfPerson & { masked: string }): JSX.Element {
  const exporting = useAct();
  const reaching = useAct();
  const path = personPath(id);
  const erase = async (expected: number) => {
    const { websites, failed } = await ask<{ websites: { erasedMessages: number }[]; failed: unknown[] }>(
      pathOf(path, { expected: `${expected}` }),
      { method: "DELETE" },
    );
    const count = sumOf(websites, "erasedMessages");
    tellDone(
      `${masked} is erased, with ${countOf(count, "text")}.${failed.length > 0 ? ` At ${countOf(failed.length, "website")} it failed: erase again.` : ""}`,
    );
    go("#/people");
  };
  const isUnreachable = person.websites.some(({ faults }) => faults?.unreachableSince);
  const reach = async () => {
    await ask(`${path}/reachable`, { method: "POST" });
    tellDone(`Texts go to ${masked} again.`);
    reload();
  };
  const save = () => void exporting.run(() => download(`${path}/export`, "person.json"));
  const erasing = (close: () => void) => (
    <Confirm
      count={sumOf(person.websites, "messageCount")}
      title={(texts) => `Erase ${masked} and ${countOf(texts, "text")}?`}
      lines={[
        {
          icon: "cancelled",
          text: (
            <>
              Texts, their own words and consent are deleted <strong>at all websites</strong>. This cannot be undone.
            </>
          ),
        },
        { icon: "shield", text: "A mark stays that names nobody: no import subscribes them again." },
        { icon: "callback", text: "No platform is told. Tell them, or they send again." },
      ]}
      typed={{ word: masked.slice(-2), label: `Type the last two digits, ${masked.slice(-2)}, to erase them` }}
      act={() => "Erase this person"}
      isDanger
      out="Keep everything"
      milder={{ label: "Export first", onPress: save }}
      run={erase}
      onClose={close}
    />
  );
  return (
    <>
      {isUnreachable && (
        <ActButton isOff={reaching.isBusy} onPress={() => void reaching.run(reach)}>
          Text it again
        </ActButton>
      )}
      <ActButton isOff={exporting.isBusy} onPress={save}>
        Export all
      </ActButton>
      <Asking kind="edge" dialog={erasing}>
        Erase…
      </Asking>
      <FailureLine failure={exporting.failure ?? reaching.failure} />
    </>
  );
}
