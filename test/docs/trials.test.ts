/** The trials of each night: .github/workflows/trials.yml runs every part, and installs what a part needs. */
import { expect, it } from "vitest";
import workflow from "../../.github/workflows/trials.yml?raw";
import program from "../node/trials/run.ts?raw";

const partsOf = (text = "") => [...text.matchAll(/[a-z]+/g)].map(([name]) => name);

it("has each part of `npm run faults` once", () => {
  const all = [...(/const PARTS[^{]+\{([^}]+(?:\}[^}]+)*?)\n\};/.exec(program)?.[1] ?? "").matchAll(/^ {2}(\w+): /gm)];
  const nightly = partsOf(/^ +part: \[(.+)\]$/m.exec(workflow)?.[1]);
  expect(all.length).toBeGreaterThan(8);
  expect(nightly.toSorted()).toEqual(all.map(([, name]) => name).toSorted());
});

it("installs Chromium for the part that opens the console", () => {
  expect(workflow).toMatch(/if: matrix\.part == 'console'\n +run: apt-get .*\bchromium\b/);
});
