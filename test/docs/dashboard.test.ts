// examples/grafana.json and prometheus.yml, beside the metrics of the service.
import { beforeEach, expect, it } from "vitest";
import dashboard from "../../examples/grafana.json";
import scrapes from "../../examples/prometheus.yml?raw";
import { toMetrics } from "../../src/domain/operations/metrics.ts";
import type { ServiceState } from "../../src/domain/operations/problems.ts";
import { MESSAGE_STATES } from "../../src/domain/operations/service-state.ts";
import { trafficOf } from "../../src/domain/operations/traffic.ts";
import { World } from "../world.ts";

/** A variable of Grafana's, which its reader chooses. */
const DATASOURCE = `$\{datasource}`;

const queries = dashboard.panels.flatMap(({ title, targets }) => targets.map((target) => ({ title, ...target })));

/** The labels of each metric, also of those that an idle service leaves out because it does not know them. */
let metrics: Map<string, Set<string>>;
let world: World;

beforeEach(async () => {
  world = await World.create();
  await world.sweep();
  const state = (await (await world.operator("GET", "/health")).json()) as ServiceState;
  for (const database of state.databases) database.daysLeft ??= 1;
  for (const carrier of state.carriers) for (const name of MESSAGE_STATES) carrier[name].oldestSeconds ??= 1;
  for (const queue of state.queues) queue.backlog ??= 1;
  const month = trafficOf([], { scheduled: true, held: true });
  const text = toMetrics({ ...state, retriedSeconds: 1 }, month);
  metrics = new Map([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => [name, new Set<string>()]));
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) metrics.get(name)?.add(label);
  }
});

const namesIn = (expr: string) => [...expr.matchAll(/textgate_\w+/g)].map(([name]) => name);

it("shows each metric, and none that there is not", () => {
  const shown = new Set(queries.flatMap(({ expr }) => namesIn(expr)));
  expect([...shown].sort()).toEqual([...metrics.keys()].sort());
});

it("names only labels that the metric has", () => {
  expect(metrics.get("textgate_submissions_5m")).toEqual(new Set(["carrier", "outcome"]));
  for (const { title, expr, legendFormat } of queries) {
    const [name = ""] = namesIn(expr);
    const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(", ") ?? [];
    const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    for (const label of [...grouped, ...legend]) {
      expect([title, name, label, metrics.get(name)?.has(label ?? "")]).toEqual([title, name, label, true]);
    }
    // Two lines with one name cannot be told apart.
    if (grouped.length > 0) expect([title, legend]).toEqual([title, grouped]);
    else if (!expr.includes("=="))
      expect([title, legend.toSorted()]).toEqual([title, [...(metrics.get(name) ?? [])].sort()]);
  }
});

it("has its panels side by side, each with an id and a source of its own to choose", () => {
  const taken = new Set<string>();
  for (const { gridPos, datasource } of dashboard.panels) {
    expect([gridPos.x + gridPos.w <= 24, datasource.uid]).toEqual([true, DATASOURCE]);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`)).toBe(false);
        taken.add(`${x} ${y}`);
      }
    }
  }
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

it("is scraped where the metrics are, with a viewer's token", async () => {
  const path = /metrics_path: (\S+)/.exec(scrapes)?.[1] ?? "";
  const created = await world.operator("POST", "/tokens", { name: "prometheus", role: "viewer" });
  const { token } = (await created.json()) as { token: string };
  const answer = await world.fetch(path, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("# TYPE textgate_problem gauge");
});
