// Which calls the sources of the console ask for: read from their text, as no compiler that can be asked is installed.
import { readdirSync, readFileSync } from "node:fs";

export interface Asked {
  /** The source and the text in it, for a person. */
  at: string;
  /** `{}`: a part that is known only in the browser. */
  path: string;
  /** null: it is not told beside the path. */
  method: string | null;
}

/** The functions of console/lib/addresses.ts that begin a path. */
const BEGINNINGS: Record<string, string> = {
  websitePath: "/operator/websites/{}",
  personPath: "/operator/people/{}",
  reportPath: "/operator/report",
};

const BEGINNING = `(${Object.keys(BEGINNINGS).join("|")})\\([^()]*\\)`;

/** @returns every path of a call that begins a literal, with the names that stand for the beginning of a path put in */
export function pathsIn(name: string, source: string): Asked[] {
  const known = new Map(
    [...source.matchAll(new RegExp(`const (\\w+) = ${BEGINNING};`, "g"))].map(([, own = "", made = ""]) => [own, made]),
  );
  const text = source
    .replaceAll(new RegExp(`\\$\\{${BEGINNING}\\}`, "g"), (_, made: string) => BEGINNINGS[made] ?? "")
    .replaceAll(/\$\{(\w+)\}/g, (whole, own: string) => BEGINNINGS[known.get(own) ?? ""] ?? whole);
  return [...text.matchAll(/(["`])(\/(?:operator|console|local)\/.*?)\1/g)].map(
    ({ 0: whole, 2: literal = "", index }) => {
      const after = text
        .slice(index + whole.length, index + whole.length + 120)
        .split(/;|\n\n|\/(?:operator|console)\//)[0];
      const path = literal.replaceAll(/\$\{[^{}]*\}/g, "{}").replace(/(\?|\$\{).*$/, "");
      return { at: `${name}: ${whole}`, path, method: /method: "([A-Z]+)"/.exec(after ?? "")?.[1] ?? null };
    },
  );
}

export function askedPaths(): Asked[] {
  const files = readdirSync("console", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  return files.flatMap((name) => pathsIn(name, readFileSync(`console/${name}`, "utf8")));
}

/** The calls of the API: `GET /operator/websites/{websiteId}`. */
export function declaredCalls(): string[] {
  const { paths } = JSON.parse(readFileSync("public/openapi.json", "utf8")) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Whether a call of the API has the path. What is known only in the browser may stand for any one part of it. */
export function isDeclared({ path, method }: Pick<Asked, "path" | "method">, calls: string[]): boolean {
  const parts = path.split("/");
  return calls.some((call) => {
    const [declaredMethod, declaredPath = ""] = call.split(" ");
    const declared = declaredPath.split("/");
    const fits = (part: string, index: number) =>
      part === declared[index] || part === "{}" || /^\{\w+\}$/.test(declared[index] ?? "");
    return (method ?? declaredMethod) === declaredMethod && parts.length === declared.length && parts.every(fits);
  });
}
