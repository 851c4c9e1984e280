import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { RouteConfigEntry } from "@remix-run/route-config";
import type { Access } from "~/platform/endpoint/endpoint.shared";
import sitemap from "../../app/routes";

export interface Address {
  /** As in OpenAPI: `/api/personas/{id}`. */
  path: string;
  file: string;
  /** Methods beyond the API description. */
  methods: ("GET" | "POST")[];
  /** The forms of a screen by their intents, with who may send them. */
  intents: Readonly<Record<string, Access>>;
}

interface Entry {
  path: string;
  file: string;
  id: string;
}

function* walk(entries: RouteConfigEntry[], base: string): Generator<Entry> {
  for (const entry of entries) {
    // What is optional for a screen is there for those over it.
    const path = entry.path ? `${base.replace(/\?$/, "")}/${entry.path}` : base;
    // Layouts have no address.
    if (entry.path || entry.index)
      yield { path: path || "/", file: entry.file, id: entry.id ?? entry.file.replace(/\.tsx?$/, "") };
    yield* walk(entry.children ?? [], path);
  }
}

/** The paths of `routes.ts`, as they are written there. */
export const readPaths = async (): Promise<string[]> => [...walk(await sitemap, "")].map(({ path }) => path);

/** All addresses of `routes.ts`, with facts of the build. */
export async function readSitemap(): Promise<Address[]> {
  const url = pathToFileURL(resolve("build/server/index.js")).href;
  const build = (await import(/* @vite-ignore */ url)) as ServerBuild;
  return [...walk(await sitemap, "")].map(({ path, file, id }) => {
    const module = Object.values(build.routes).find((route) => route?.id === id)?.module;
    if (!module) throw new Error(`${file} is in routes.ts, but not in the build.`);
    const methods: Address["methods"] = [];
    if (module.default || module.loader) methods.push("GET");
    if (module.action) methods.push("POST");
    const { intents = {} } = (module.action ?? {}) as Partial<Pick<Address, "intents">>;
    return { path: path.replace(/:(\w+)/g, "{$1}"), file, methods, intents };
  });
}
