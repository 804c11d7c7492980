import type { JSX } from "preact";
import { capitalized, formatCount } from "../lib/numbers.ts";
import { signedIn } from "../lib/session.ts";
import { Icon, type IconName, Mark } from "./icon.tsx";

interface Place {
  label: string;
  icon: IconName;
  /** How many somebody must act on; left out where there are none. */
  count?: "overdue" | "toDecide" | "problems";
}

/** Where a page has another name or icon than its path. */
const OTHERS: Record<string, Partial<Place>> = {
  waiting: { icon: "waitingPage", count: "overdue" },
  conversations: { count: "toDecide" },
  problems: { count: "problems" },
  "dead-jobs": { label: "Dead jobs", icon: "deadJobs" },
  accounts: { icon: "sending" },
  audit: { label: "Tokens and audit" },
};

const placeOf = (path: string): Place => ({ label: capitalized(path), icon: path as IconName, ...OTHERS[path] });

const GROUPS: [name: string, ...paths: string[]][] = [
  ["", "overview", "messages", "waiting", "conversations", "reports"],
  ["Brands", "websites", "people", "import"],
  ["Service", "problems", "dead-jobs", "databases", "accounts", "audit"],
];

const TONES = { overdue: "wait", toDecide: "", problems: "bad" };

export function Navigation({ page, onSignOut }: { page: string; onSignOut: () => void }): JSX.Element {
  const { session, overview } = signedIn();
  return (
    <div class="side">
      <a class="brand" href="#/overview">
        <Mark /> Textgate
      </a>
      <nav aria-label="Pages">
        {GROUPS.map(([name, ...paths]) => (
          <div class="nav-group" key={name}>
            {name && <h2>{name}</h2>}
            <ul>
              {paths
                .filter((path) => path !== "import" || session.role === "operator")
                .map((path) => {
                  const { label, icon, count } = placeOf(path);
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

const BAR = ["overview", "messages", "waiting", "people", "more"];

/** The bar at the bottom of a phone. */
export function BottomBar({ page }: { page: string }): JSX.Element {
  const needs = signedIn().overview?.needs.problems ?? 0;
  const current = BAR.includes(page) ? page : "more";
  return (
    <nav class="bottom-bar" aria-label="Pages, short">
      {BAR.map((path) => {
        const { label, icon } = placeOf(path);
        return (
          <a key={path} href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
            <Icon name={icon} size={20} />
            {label}
            {path === "overview" && needs > 0 && <span class="badge">{needs}</span>}
          </a>
        );
      })}
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
