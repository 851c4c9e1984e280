type RouterState = typeof window.__remixRouter.state;

/** From the router itself: React's state lags by a render. */
const isSaving = ({ fetchers }: RouterState) =>
  [...fetchers.values()].some(({ formMethod }) => formMethod !== undefined && formMethod !== "GET");

/** Calls back once no fetcher is saving; otherwise a navigation could complete with stale data. */
export function afterSaves(callback: (state: RouterState) => void): void {
  const router = window.__remixRouter;
  if (!isSaving(router.state)) {
    callback(router.state);
    return;
  }
  // Updates deferred by hydration arrive together.
  let stop: (() => void) | undefined = router.subscribe(() => {
    if (!stop || isSaving(router.state)) return;
    stop();
    stop = undefined;
    callback(router.state);
  });
}
