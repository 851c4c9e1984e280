type RouterState = typeof window.__remixRouter.state;

/** Whether a form is being sent or the data behind it load. From the router itself: what React has is a render behind. */
const isSaving = ({ fetchers }: RouterState) =>
  [...fetchers.values()].some(({ formMethod }) => formMethod !== undefined && formMethod !== "GET");

/**
 * Calls back with the router's state once no fetcher saves. If one ends while the router discovers an address, that
 * navigation is completed with the data of the page before.
 */
export function afterSaves(callback: (state: RouterState) => void): void {
  const router = window.__remixRouter;
  if (!isSaving(router.state)) {
    callback(router.state);
    return;
  }
  // Updates that waited for hydration come together, also after the first of them.
  let stop: (() => void) | undefined = router.subscribe(() => {
    if (!stop || isSaving(router.state)) return;
    stop();
    stop = undefined;
    callback(router.state);
  });
}
