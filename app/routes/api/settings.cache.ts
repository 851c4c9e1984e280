import { CacheCleared, CacheState } from "~/console/settings/cache.schema";
import { endpoint, resource } from "~/http/resource.server";
import { clearCaches, countCached } from "~/platform/settings/caches.service.server";

const route = resource({
  path: "/api/settings/cache",
  tag: "Settings",
  GET: endpoint({
    summary: "Count cached values",
    access: "settings.manage",
    response: CacheState,
    handle: ({ actor }) => ({ cached: countCached(actor) }),
  }),
  DELETE: endpoint({
    summary: "Clear the cache",
    access: "settings.manage",
    response: CacheCleared,
    handle: ({ actor }) => clearCaches(actor),
  }),
});

const loader = route.loader;
const action = route.action;

export { action, loader };
