import { startTransition } from "react";

type Router = typeof window.__remixRouter;

/**
 * Renders every update of the router as a transition. Remix stores a new address with an urgent update, for which React
 * discards the server-rendered HTML of parts of a long page that aren't hydrated yet.
 */
export function deferRouterUpdates(): void {
  let router: Router;
  Object.defineProperty(window, "__remixRouter", {
    configurable: true,
    get: () => router,
    set: (created: Router) => {
      const subscribe = created.subscribe.bind(created);
      created.subscribe = (listener) =>
        subscribe((state, options) => startTransition(() => listener(state, options)));
      router = created;
    },
  });
}
