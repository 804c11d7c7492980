import type { JSX } from "preact";
import { formatCount } from "../lib/numbers.ts";
import { useSigned } from "../lib/session.ts";
import { Icon, type IconName, Mark } from "./icon.tsx";

interface Place {
  path: string;
  label: string;
  icon: IconName;
  /** How many somebody must act on; left out where there are none. */
  count?: "waiting" | "toDecide" | "problems";
  isForOperators?: boolean;
}

const GROUPS: { name: string | null; places: Place[] }[] = [
  {
    name: null,
    places: [
      { path: "overview", label: "Overview", icon: "overview" },
      { path: "messages", label: "Messages", icon: "messages" },
      { path: "waiting", label: "Waiting", icon: "waitingPage", count: "waiting" },
      { path: "conversations", label: "Conversations", icon: "conversations", count: "toDecide" },
      { path: "reports", label: "Reports", icon: "reports" },
    ],
  },
  {
    name: "Brands",
    places: [
      { path: "websites", label: "Websites", icon: "websites" },
      { path: "people", label: "People", icon: "people" },
      { path: "import", label: "Import", icon: "import", isForOperators: true },
    ],
  },
  {
    name: "Service",
    places: [
      { path: "problems", label: "Problems", icon: "problems", count: "problems" },
      { path: "dead-jobs", label: "Dead jobs", icon: "deadJobs" },
      { path: "databases", label: "Databases", icon: "databases" },
      { path: "audit", label: "Tokens and audit", icon: "audit" },
    ],
  },
];

const TONES = { waiting: "wait", toDecide: "", problems: "bad" };

export function Navigation({ page, onSignOut }: { page: string; onSignOut: () => void }): JSX.Element {
  const { session, overview } = useSigned();
  return (
    <div class="side">
      <a class="brand" href="#/overview">
        <Mark /> Textgate
      </a>
      <nav aria-label="Pages">
        {GROUPS.map(({ name, places }) => (
          <div class="nav-group" key={name}>
            {name && <h2>{name}</h2>}
            <ul>
              {places
                .filter((place) => !place.isForOperators || session.role === "operator")
                .map(({ path, label, icon, count }) => {
                  const needs = count ? (overview?.needs[count] ?? 0) : 0;
                  return (
                    <li key={path}>
                      <a href={`#/${path}`} aria-current={path === page ? "page" : undefined}>
                        <Icon name={icon} />
                        <span>{label}</span>
                        {count && needs > 0 && <span class={`nav-count ${TONES[count]}`}>{formatCount(needs)}</span>}
                      </a>
                    </li>
                  );
                })}
            </ul>
          </div>
        ))}
      </nav>
      <div class="who">
        <p>
          <strong>{session.operator}</strong> · {session.role}
        </p>
        <p>{session.isDemo ? "These people and texts are made up." : "All changes are recorded."}</p>
        <button type="button" class="button text" onClick={onSignOut}>
          Sign out
        </button>
      </div>
    </div>
  );
}

const BAR: Place[] = [
  { path: "overview", label: "Overview", icon: "overview", count: "problems" },
  { path: "messages", label: "Messages", icon: "messages" },
  { path: "waiting", label: "Waiting", icon: "waitingPage" },
  { path: "people", label: "People", icon: "people" },
  { path: "more", label: "More", icon: "more" },
];

/** The bar at the bottom of a phone. */
export function BottomBar({ page }: { page: string }): JSX.Element {
  const { overview } = useSigned();
  const current = BAR.some(({ path }) => path === page) ? page : "more";
  return (
    <nav class="bottom-bar" aria-label="Pages, short">
      {BAR.map(({ path, label, icon, count }) => (
        <a key={path} href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
          <Icon name={icon} size={20} />
          {label}
          {count && (overview?.needs[count] ?? 0) > 0 && <span class="badge">{overview?.needs[count]}</span>}
        </a>
      ))}
    </nav>
  );
}

/** The pages of a phone that the bar has no room for. */
export function MorePages({ onSignOut }: { onSignOut: () => void }): JSX.Element {
  return (
    <div class="more-pages">
      <Navigation page="more" onSignOut={onSignOut} />
    </div>
  );
}
