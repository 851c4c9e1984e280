import { useFetcher } from "@remix-run/react";
import { useCallback } from "react";

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
