import type { ServerBuild } from "@remix-run/node";
import type { RequestHandler } from "express";
import { basePath, setBasePath, withBase } from "~/core/base-path";
import { env } from "~/core/env.server";
import { apiTable } from "./api.server";

const ASSETS = "/assets/";

/** The first part of each address that the console answers. */
function ownNames({ routes }: ServerBuild): Set<string | undefined> {
  const paths = [...Object.values(routes).map(({ path }) => `/${path ?? ""}`), ...apiTable().keys(), ASSETS];
  return new Set(paths.map((path) => path.split("/")[1]));
}

/**
 * Puts the console below the path of `PUBLIC_URL`.
 * @throws Error if the console's own addresses begin with that path: without it, as some proxies send them, they would mean
 * something else
 */
export function takeBasePath(build: ServerBuild): void {
  const { PUBLIC_URL } = env();
  const path = PUBLIC_URL === undefined ? "" : new URL(PUBLIC_URL).pathname.replace(/\/$/, "");
  const first = path.split("/")[1];
  if (first && ownNames(build).has(first))
    throw new Error(`PUBLIC_URL: The console has addresses at /${first} itself. Choose another path.`);
  setBasePath(path);
}

/** The build, which doesn't know where it is served, with the base path in the router and in the addresses of its files. */
export function withBasePath(build: ServerBuild): ServerBuild {
  if (basePath() === "") return build;
  const assets: ServerBuild["assets"] = JSON.parse(JSON.stringify(build.assets), (_, value: unknown) =>
    typeof value === "string" && value.startsWith(ASSETS) ? withBase(value) : value,
  );
  return { ...build, basename: basePath(), assets };
}

/** Serves the build's list of its files with the base path. */
export function serveManifest(loadBuild: () => Promise<ServerBuild>): RequestHandler {
  return async (request, response, next) => {
    if (basePath() === "" || !request.path.startsWith(`${ASSETS}manifest-`)) return next();
    const { assets } = withBasePath(await loadBuild());
    if (assets.url !== withBase(request.path)) return next();
    response
      .set("Cache-Control", "public, max-age=31536000, immutable")
      .type("js")
      .send(`window.__remixManifest=${JSON.stringify(assets)};`);
  };
}
