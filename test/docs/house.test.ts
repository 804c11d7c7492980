/** The order of the house: a file of src takes from its own floor and from the floors below, and no two files take from each other. */
import { expect, it } from "vitest";

const files = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true }) as Record<
  string,
  string
>;

/** From the ground up; what is not named here stands on the top floor. */
const FLOORS = [
  ["domain"],
  ["platform", "config.ts", "log.ts"],
  ["carriers"],
  ["store"],
  ["deps.ts"],
  ["flows"],
  ["http", "queue.ts", "sweep.ts", "website-object.ts"],
  ["operator"],
];

const nameOf = (path: string) => path.replace(/^.*\/src\//, "");

function floorOf(name: string): number {
  const [place = ""] = name.split("/");
  const floor = FLOORS.findIndex((places) => places.includes(place));
  return floor < 0 ? FLOORS.length : floor;
}

/** What each file imports of src: types as well. */
const imports = new Map(
  Object.entries(files).map(([path, source]) => {
    const paths = [...source.matchAll(/^(?:import|export)[^"]*? from "(\.[^"]+)";|^import "(\.[^"]+)";/gm)];
    const names = paths.map(([, from, alone]) => new URL(from ?? alone ?? "", `file:///src/${nameOf(path)}`).pathname);
    return [nameOf(path), names.map((name) => name.replace("/src/", ""))] as const;
  }),
);

it("no file takes from a floor above its own", () => {
  const upward = [...imports].flatMap(([name, taken]) =>
    taken.filter((other) => floorOf(other) > floorOf(name)).map((other) => `${name} -> ${other}`),
  );
  expect(upward).toEqual([]);
});

it("no file takes from itself, over whatever way", () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, way: string[]) => {
    if (way.includes(name)) circles.push([...way.slice(way.indexOf(name)), name].join(" -> "));
    if (done.has(name) || way.includes(name)) return;
    for (const taken of imports.get(name) ?? []) visit(taken, [...way, name]);
    done.add(name);
  };
  for (const name of imports.keys()) visit(name, []);
  expect(circles).toEqual([]);
});

it("knows the whole house", () => {
  expect(imports.size).toBeGreaterThan(300);
  expect([...imports.values()].flat().filter((name) => name.endsWith(".ts") && !imports.has(name))).toEqual([]);
});
