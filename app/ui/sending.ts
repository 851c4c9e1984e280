import { useFetcher, useFetchers, useNavigation } from "@remix-run/react";
import { useCallback, useEffect } from "react";

/** In milliseconds; later the button is drawn as pending, or what it sent has arrived. */
const DOUBLE_CLICK = 500;

let last: { form: HTMLFormElement; submitter: HTMLElement | null; entries: string; at: number } | undefined;

/** Drops a form's second submit within a double click, which on a slow machine comes before the button is pending. */
export function submitOnce(): void {
  const drop = (event: SubmitEvent) => {
    const { target: form, submitter, timeStamp: at } = event;
    if (!(form instanceof HTMLFormElement) || form.method !== "post" || form.matches("[data-sends-itself]"))
      return;
    const entries = JSON.stringify([...new FormData(form, submitter)]);
    const isSecond = last?.form === form && last.entries === entries && at - last.at < DOUBLE_CLICK;
    last = { form, submitter, entries, at };
    if (!isSecond) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // A press of another button, such as of the question that a form asked, means to send again.
  const forget = ({ target }: Event) => {
    if (target instanceof Node && !(last?.submitter ?? last?.form)?.contains(target)) last = undefined;
  };
  window.addEventListener("click", forget, true);
  window.addEventListener("submit", drop, true);
}

/** Key of a fetcher that checks what is typed: nothing is lost if its page is left. */
export const CHECKS = "checks-what-is-typed";

/** Whether a form was sent or a page asked for. What loads beside the page, or checks it while one types, isn't sending. */
export function useIsSending(): boolean {
  const navigation = useNavigation();
  const fetchers = useFetchers();
  return (
    navigation.state !== "idle" ||
    fetchers.some(({ formMethod, key }) => formMethod === "POST" && key !== CHECKS)
  );
}

/** What was sent may be sent again once it has arrived. */
export function useSubmitEnds(): void {
  const isSending = useIsSending();
  useEffect(() => {
    if (!isSending) last = undefined;
  }, [isSending]);
}

/**
 * Sends forms whose answer leaves the page, and a navigation that has started, as they are. A fetcher's redirect would end
 * that navigation, and the router drops or undoes the redirect when the page is reloaded beside it, as live changes do.
 * @param key shared by components that show the same form's state
 */
export function useInPlace(key?: string) {
  const { submit, state, formData } = useFetcher(key === undefined ? {} : { key });
  const send = useCallback(
    (values: Record<string, string>, action?: string) =>
      submit(
        { ...values, inPlace: "on" },
        { method: "post", preventScrollReset: true, ...(action !== undefined && { action }) },
      ),
    [submit],
  );
  return { send, isSending: state !== "idle", formData };
}
