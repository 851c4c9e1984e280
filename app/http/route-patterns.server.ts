import type { ServerBuild } from "@remix-run/node";

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

const PARTS: Readonly<Record<string, { expression: string; rank: string }>> = {
  ":": { expression: "[^/]+", rank: "1" },
  "*": { expression: ".*", rank: "2" },
};

/**
 * Finds what stands under the most literal pattern that a path matches, such as `/users/:`.
 * @param patterns with `:` for a part that is any text, and `*` for all that follows
 */
export function mostLiteral<T>(patterns: ReadonlyMap<string, T>): (path: string) => T | undefined {
  const ranked = [...patterns].map(([pattern, value]) => {
    const parts = pattern.split("/").map((text) => PARTS[text] ?? { expression: escaped(text), rank: "0" });
    const expression = new RegExp(`^${parts.map((part) => part.expression).join("/")}$`, "s");
    return { expression, value, rank: parts.map((part) => part.rank).join("") };
  });
  ranked.sort((a, b) => a.rank.localeCompare(b.rank));
  return (path) => ranked.find(({ expression }) => expression.test(path))?.value;
}

const segmentsOf = (path: string) => path.split("/").filter(Boolean);
const readable = (path: string) => `/${path}`.replaceAll(/:(\w+)\??/g, "{$1}");
const toPattern = (segments: readonly string[]) =>
  `/${segments.map((segment) => (segment.startsWith(":") ? ":" : segment)).join("/")}`;

function patternsOf({ routes }: ServerBuild): string[] {
  const full = (id: string | undefined): string => {
    const route = id === undefined ? undefined : routes[id];
    return route ? [full(route.parentId), route.path ?? ""].filter(Boolean).join("/") : "";
  };
  return Object.keys(routes).map(full);
}

/** @param calls those of the API, with paths such as `/api/personas/{id}` */
export function routeMatcher(
  build: ServerBuild,
  calls: Iterable<{ path: string; takesRest?: boolean }> = [],
): (path: string) => string {
  const names = new Map<string, string>();
  for (const path of patternsOf(build)) {
    const segments = segmentsOf(path);
    names.set(toPattern(segments), readable(path));
    // The last part may be missing.
    const parent = toPattern(segments.slice(0, -1));
    if (/(?:\?|^\*|\/\*)$/.test(path) && !names.has(parent)) names.set(parent, readable(path));
  }
  for (const { path, takesRest } of calls) {
    const pattern = path.replaceAll(/\{\w+\}/g, ":");
    names.set(pattern, path);
    if (takesRest) names.set(`${pattern}/*`, path);
  }
  names.set("/", "/");
  const nameOf = mostLiteral(names);
  return (path) => {
    if (path.startsWith("/assets/")) return "/assets/*";
    // Data requests end with `.data`.
    const page = path.replace(/\.data$/, "").replace(/^\/_root$/, "/");
    return nameOf(`/${segmentsOf(page).join("/")}`) ?? "unmatched";
  };
}
