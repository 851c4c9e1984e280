import type { ServerBuild } from "@remix-run/node";

interface Node {
  fixed: Map<string, Node>;
  open?: Node;
  pattern?: string;
  rest?: string;
}

const segmentsOf = (path: string) => path.split("/").filter(Boolean);
const readable = (path: string) => `/${path}`.replaceAll(/:(\w+)\??/g, "{$1}");

function patternsOf({ routes }: ServerBuild): string[] {
  const full = (id: string | undefined): string => {
    const route = id === undefined ? undefined : routes[id];
    return route ? [full(route.parentId), route.path ?? ""].filter(Boolean).join("/") : "";
  };
  return Object.keys(routes).map(full);
}

function add(root: Node, pattern: string, takesRest = false): void {
  let node = root;
  for (const segment of segmentsOf(pattern)) {
    if (segment === "*") {
      node.rest = readable(pattern);
      return;
    }
    if (segment.endsWith("?")) node.pattern ??= readable(pattern);
    if (segment.startsWith(":")) {
      node.open ??= { fixed: new Map() };
      node = node.open;
    } else {
      const next: Node = node.fixed.get(segment) ?? { fixed: new Map() };
      node.fixed.set(segment, next);
      node = next;
    }
  }
  node.pattern = readable(pattern);
  if (takesRest) node.rest = node.pattern;
}

function find(node: Node, segments: readonly string[], at: number): string | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.pattern ?? node.rest;
  const fixed = node.fixed.get(segment);
  const match = fixed && find(fixed, segments, at + 1);
  if (match !== undefined) return match;
  return (node.open && find(node.open, segments, at + 1)) ?? node.rest;
}

/** @param calls those of the API, with paths such as `/api/personas/{id}` */
export function routeMatcher(
  build: ServerBuild,
  calls: Iterable<{ path: string; takesRest?: boolean }> = [],
): (path: string) => string {
  const root: Node = { fixed: new Map() };
  for (const pattern of patternsOf(build)) add(root, pattern);
  for (const { path, takesRest } of calls)
    add(root, path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1"), takesRest);
  root.pattern = "/";
  return (path) => {
    if (path.startsWith("/assets/")) return "/assets/*";
    // Data requests end with `.data`.
    const page = path.replace(/\.data$/, "").replace(/^\/_root$/, "/");
    return find(root, segmentsOf(page), 0) ?? "unmatched";
  };
}
