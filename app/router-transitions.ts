import { startTransition } from "react";
import { afterHydration } from "./ui/slice";

type Router = typeof window.__remixRouter;
type RouterState = Router["state"];

/** The same address loaded again: the router would scroll back to where that began, whatever was scrolled since. */
function keepScroll(state: RouterState, shown: RouterState): RouterState {
  if (state.location.key !== shown.location.key) return state;
  const { restoreScrollPosition, preventScrollReset } = shown;
  return { ...state, restoreScrollPosition, preventScrollReset };
}

/**
 * Renders every update of the router as a transition, after the parts of a long page are hydrated. Remix stores a new
 * address with an urgent update, for which React discards the server-rendered HTML of parts that aren't. It keeps that of
 * a transition, but reports an error (421) if the render is interrupted.
 */
export function deferRouterUpdates(): void {
  let router: Router;
  Object.defineProperty(window, "__remixRouter", {
    configurable: true,
    get: () => router,
    set: (created: Router) => {
      const subscribe = created.subscribe.bind(created);
      created.subscribe = (listener) => {
        let shown = created.state;
        return subscribe((state, options) => {
          shown = keepScroll(state, shown);
          const next = shown;
          afterHydration(() => startTransition(() => listener(next, options)));
        });
      };
      router = created;
    },
  });
}
