import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { RouteConfigEntry } from "@remix-run/route-config";
import sitemap from "../../app/routes";

/** One address of the console. */
export interface Address {
  /** As in OpenAPI: `/api/personas/{id}`. */
  path: string;
  file: string;
  /** What can be asked of it beside what the API's description says. */
  methods: ("GET" | "POST")[];
  /** The intents of a screen's forms. */
  intents: readonly string[];
}

function* walk(entries: RouteConfigEntry[], base: string): Generator<{ path: string; file: string }> {
  for (const entry of entries) {
    const path = entry.path ? `${base}/${entry.path}` : base;
    // A layout has no address of its own.
    if (entry.path || entry.index) yield { path: path || "/", file: entry.file };
    yield* walk(entry.children ?? [], path);
  }
}

/** Every address that `routes.ts` names, with what the production build knows of it. */
export async function readSitemap(): Promise<Address[]> {
  const url = pathToFileURL(resolve("build/server/index.js")).href;
  const build = (await import(/* @vite-ignore */ url)) as ServerBuild;
  return [...walk(await sitemap, "")].map(({ path, file }) => {
    const id = file.replace(/\.tsx?$/, "");
    const module = Object.values(build.routes).find((route) => route?.id === id)?.module;
    if (!module) throw new Error(`${file} is in routes.ts, but not in the build.`);
    const methods: Address["methods"] = [];
    if (module.default || module.loader) methods.push("GET");
    if (module.action) methods.push("POST");
    const { intents = [] } = (module.action ?? {}) as { intents?: readonly string[] };
    return { path: path.replace(/:(\w+)/g, "{$1}"), file, methods, intents };
  });
}
