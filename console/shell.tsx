import type { ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Overview as OverviewAnswer, Session } from "./answers.ts";
import { listenToKeys } from "./lib/keyboard.ts";
import type { Route } from "./lib/router.ts";
import { setSigned } from "./lib/session.ts";
import { setNeeds } from "./lib/title.ts";
import { useAnswer, useFreshness } from "./lib/use-answer.ts";
import { replaceHash } from "./lib/use-route.ts";
import { Accounts } from "./pages/accounts.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { Conversations } from "./pages/conversations.tsx";
import { Databases } from "./pages/databases.tsx";
import { DeadJobs } from "./pages/dead-jobs.tsx";
import { Import } from "./pages/import.tsx";
import { MessagePage } from "./pages/message.tsx";
import { Messages } from "./pages/messages.tsx";
import { Overview } from "./pages/overview.tsx";
import { People } from "./pages/people.tsx";
import { PersonPage } from "./pages/person.tsx";
import { Problems } from "./pages/problems.tsx";
import { Reports } from "./pages/reports.tsx";
import { WaitingPage } from "./pages/waiting.tsx";
import { WebsitePage } from "./pages/website.tsx";
import { Websites } from "./pages/websites.tsx";
import { BottomBar, MorePages, Navigation } from "./parts/navigation.tsx";
import { Page } from "./parts/page.tsx";
import { Shortcuts } from "./parts/shortcuts.tsx";
import { ToastPlace } from "./parts/toast.tsx";
import { AwayNote, TopBar } from "./parts/top-bar.tsx";

type PageOf = ComponentType<{ route: Route }>;

/** A list, and one of it. */
const PAGES: Record<string, [list: PageOf, one?: PageOf]> = {
  overview: [Overview],
  messages: [Messages, MessagePage],
  waiting: [WaitingPage],
  conversations: [Conversations],
  reports: [Reports],
  websites: [Websites, WebsitePage],
  people: [People, PersonPage],
  import: [Import],
  problems: [Problems],
  "dead-jobs": [DeadJobs],
  databases: [Databases],
  accounts: [Accounts],
  audit: [AuditPage],
};

const SECONDS_ON_OVERVIEW = 20;
const SECONDS_ELSEWHERE = 60;

/** The navigation, the top bar, and the page in between. */
export function Shell({
  session,
  route,
  onSignOut,
}: {
  session: Session;
  route: Route;
  onSignOut: () => void;
}): JSX.Element {
  const page = route.path[0] ?? "";
  const isOverview = page === "overview";
  const overview = useAnswer<OverviewAnswer>(
    "/operator/overview",
    isOverview ? SECONDS_ON_OVERVIEW : SECONDS_ELSEWHERE,
    isOverview,
    true,
  );
  const needs = overview.data?.needs.problems ?? 0;
  const [hasHelp, setHelp] = useState(false);
  const { failure } = useFreshness();
  const main = useFocusOnChange(route.path.join("/"));

  useEffect(() => listenToKeys(() => setHelp(true)), []);
  useEffect(() => {
    setNeeds(needs);
    return () => setNeeds(0);
  }, [needs]);
  useEffect(() => {
    // An account manager begins with campaigns, an operator with what needs somebody.
    if (page === "" || page === "in") replaceHash(session.role === "viewer" ? "#/websites" : "#/overview");
  }, [page, session.role]);

  const [list, one] = PAGES[page] ?? [];
  const Shown = route.path.length > 1 ? one : list;
  const isAway = (failure?.isAway ?? false) || (overview.failure?.isAway ?? false);
  setSigned({ session, overview: overview.data, isAway });
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <Navigation page={page} onSignOut={onSignOut} />
      <div class="column">
        <TopBar hasSearch={!(["messages", "people"].includes(page) && route.path.length === 1)} />
        <main id="main" ref={main} tabIndex={-1}>
          <AwayNote />
          {Shown ? (
            <Shown key={route.path.join("/")} route={route} />
          ) : page === "more" ? (
            <More onSignOut={onSignOut} />
          ) : (
            page && <NoPage />
          )}
        </main>
      </div>
      <BottomBar page={page} />
      <div id="said" class="unseen" aria-live="polite" />
      <ToastPlace />
      {hasHelp && <Shortcuts onClose={() => setHelp(false)} />}
    </>
  );
}

const NoPage = () => <Page title="There is no such page" lead={<a href="#/overview">To the overview</a>} />;

const More = ({ onSignOut }: { onSignOut: () => void }) => (
  <Page title="More pages">
    <MorePages onSignOut={onSignOut} />
  </Page>
);

/** The page has the focus after each change of it, and begins at its top. */
function useFocusOnChange(path: string) {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  return main;
}
