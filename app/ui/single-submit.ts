const entriesOf = (form: FormData) => JSON.stringify([...form]);

/**
 * Drops a form's second submit while its first is on its way: a double click on a slow machine comes before the button is
 * drawn as pending.
 */
export function submitOnce(): void {
  const drop = (event: SubmitEvent) => {
    // Before hydration there is no router.
    const { formMethod = "GET", formData } = window.__remixRouter?.state.navigation ?? {};
    if (formMethod === "GET" || !formData || !(event.target instanceof HTMLFormElement)) return;
    if (entriesOf(formData) !== entriesOf(new FormData(event.target, event.submitter))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener("submit", drop, true);
}
