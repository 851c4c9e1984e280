import { CacheCleared, CacheState } from "~/features/settings/cache.schema";
import { clearCaches, countCached } from "~/features/settings/caches.service.server";
import { endpoint, resource } from "~/http/resource.server";

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
