import { useFetchers, useNavigation } from "@remix-run/react";
import { useEffect } from "react";

/** In milliseconds; later the button is drawn as pending, or what it sent has arrived. */
const DOUBLE_CLICK = 500;

let last: { form: EventTarget | null; entries: string; at: number } | undefined;

/**
 * Drops a form's second submit of the same within a double click: on a slow machine that comes before the button is drawn as
 * pending.
 */
export function submitOnce(): void {
  const drop = (event: SubmitEvent) => {
    const { target: form, submitter, timeStamp: at } = event;
    if (!(form instanceof HTMLFormElement) || form.method !== "post") return;
    const entries = JSON.stringify(
      [...new FormData(form, submitter)].map(([name, value]) =>
        value instanceof File ? [name, value.name, value.size, value.lastModified] : [name, value],
      ),
    );
    const isSecond = last?.form === form && last.entries === entries && at - last.at < DOUBLE_CLICK;
    last = { form, entries, at };
    if (!isSecond) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener("submit", drop, true);
}

/** @returns whether something is on its way */
export function useIsSending(): boolean {
  const navigation = useNavigation();
  const fetchers = useFetchers();
  return navigation.state !== "idle" || fetchers.length > 0;
}

/** What was sent may be sent again once it has arrived. */
export function useSubmitEnds(): void {
  const isSending = useIsSending();
  useEffect(() => {
    if (!isSending) last = undefined;
  }, [isSending]);
}
