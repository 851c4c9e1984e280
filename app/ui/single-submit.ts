/**
 * Drops a form's second submit while its first is on its way: a double click on a slow machine comes before the button is
 * drawn as pending.
 */
export function submitOnce(): void {
  let sent: SubmitEvent | undefined;
  const drop = (event: SubmitEvent) => {
    // Before hydration there is no router.
    const method = window.__remixRouter?.state.navigation.formMethod ?? "GET";
    if (method !== "GET" && sent?.target === event.target && sent.submitter === event.submitter) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else sent = event;
  };
  window.addEventListener("submit", drop, true);
}
