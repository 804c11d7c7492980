import type { JSX } from "preact";
import { formatCount } from "../lib/numbers.ts";
import { signedIn } from "../lib/session.ts";
import { Icon, type IconName, Mark } from "./icon.tsx";

/** `count`: how many somebody must act on; left out where there are none. */
type Place = [path: string, label: string, icon: IconName, count?: "overdue" | "toDecide" | "problems"];

const OVERVIEW: Place = ["overview", "Overview", "overview"];
const MESSAGES: Place = ["messages", "Messages", "messages"];
const WAITING: Place = ["waiting", "Waiting", "waitingPage", "overdue"];
const PEOPLE: Place = ["people", "People", "people"];

const GROUPS: [name: string, ...Place[]][] = [
  [
    "",
    OVERVIEW,
    MESSAGES,
    WAITING,
    ["conversations", "Conversations", "conversations", "toDecide"],
    ["reports", "Reports", "reports"],
  ],
  ["Brands", ["websites", "Websites", "websites"], PEOPLE, ["import", "Import", "import"]],
  [
    "Service",
    ["problems", "Problems", "problems", "problems"],
    ["dead-jobs", "Dead jobs", "deadJobs"],
    ["databases", "Databases", "databases"],
    ["accounts", "Accounts", "sending"],
    ["audit", "Tokens and audit", "audit"],
  ],
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
        {GROUPS.map(([name, ...places]) => (
          <div class="nav-group" key={name}>
            {name && <h2>{name}</h2>}
            <ul>
              {places
                .filter(([path]) => path !== "import" || session.role === "operator")
                .map(([path, label, icon, count]) => {
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

const BAR: Place[] = [OVERVIEW, MESSAGES, WAITING, PEOPLE, ["more", "More", "more"]];

/** The bar at the bottom of a phone. */
export function BottomBar({ page }: { page: string }): JSX.Element {
  const needs = signedIn().overview?.needs.problems ?? 0;
  const current = BAR.some(([path]) => path === page) ? page : "more";
  return (
    <nav class="bottom-bar" aria-label="Pages, short">
      {BAR.map(([path, label, icon]) => (
        <a key={path} href={`#/${path}`} aria-current={path === current ? "page" : undefined}>
          <Icon name={icon} size={20} />
          {label}
          {path === "overview" && needs > 0 && <span class="badge">{needs}</span>}
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
