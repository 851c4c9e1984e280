import { startTransition } from "react";
import { afterHydration } from "~/ui/render-batch";

type Router = typeof window.__remixRouter;
type RouterState = Router["state"];
type NavigateOptions = { preventScrollReset?: boolean };

/** Reloads of the same address keep the current scroll position. */
function keepScroll(state: RouterState, shown: RouterState): RouterState {
  if (state.location.key !== shown.location.key) return state;
  const { restoreScrollPosition, preventScrollReset } = shown;
  return { ...state, restoreScrollPosition, preventScrollReset };
}

/** A revalidation restarts the running navigation and drops its `preventScrollReset`, which this keeps. */
function keepPreventScrollReset(router: Router): (state: RouterState, shown: RouterState) => RouterState {
  const navigate = router.navigate.bind(router) as (to: unknown, options?: NavigateOptions) => Promise<void>;
  let prevents = false;
  router.navigate = (to: unknown, options?: NavigateOptions) => {
    prevents = options?.preventScrollReset === true;
    return navigate(to, options);
  };
  return (state, shown) => {
    if (state.location.key === shown.location.key) return state;
    const preventScrollReset = state.preventScrollReset || prevents;
    prevents = false;
    return { ...state, preventScrollReset };
  };
}

/**
 * Makes router updates transitions after hydration: an urgent one makes React discard server HTML that isn't hydrated,
 * and an interrupted transition reports error 421. The router's own are, but not Remix's of the location above it, and
 * neither waits.
 *
 * Shown by rag.javascript.spec, "input is kept when switching tabs and back". React Router 7 has the same state above its
 * router: to be tried without at React 19. With it go the two functions above, which mend what held updates do to the scroll
 * position (chat-habits.javascript.spec, "Up edits the last message, …").
 */
export function deferRouterUpdates(): void {
  let router: Router;
  Object.defineProperty(window, "__remixRouter", {
    configurable: true,
    get: () => router,
    set: (created: Router) => {
      const subscribe = created.subscribe.bind(created);
      const keepPrevented = keepPreventScrollReset(created);
      created.subscribe = (listener) => {
        let shown = created.state;
        return subscribe((state, options) => {
          shown = keepScroll(keepPrevented(state, shown), shown);
          const next = shown;
          afterHydration(() => startTransition(() => listener(next, options)));
        });
      };
      router = created;
    },
  });
}
