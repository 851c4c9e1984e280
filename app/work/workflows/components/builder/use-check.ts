import { useFetcher } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { Draft } from "../../builder.schema";

type Problems = Readonly<Record<string, readonly string[]>>;
interface CheckResponse {
  shown?: { problems?: Problems } | undefined;
}

/** The server's input, without positions. */
const withoutPositions = (draft: Draft) =>
  JSON.stringify(draft, (key, value) => (key === "position" ? undefined : value));

/** Validates on blur and on other changes, one request at a time. Undefined before the first response. */
export function useCheck(draft: Draft): { problems: Problems | undefined; onBlur(): void } {
  const fetcher = useFetcher<CheckResponse>();
  const [blurs, setBlurs] = useState(0);
  const checkedDraft = useRef(withoutPositions(draft));
  const checkedBlurs = useRef(0);
  const { state, submit } = fetcher;
  useEffect(() => {
    const present = withoutPositions(draft);
    if (state !== "idle" || present === checkedDraft.current) return;
    const typing = document.activeElement?.matches("textarea, input:not([type=checkbox])");
    if (typing && blurs === checkedBlurs.current) return;
    const check = () => {
      checkedBlurs.current = blurs;
      checkedDraft.current = present;
      submit({ intent: "check", view: "canvas", ...draftFields(draft) }, { method: "post" });
    };
    const wait = window.requestIdleCallback ?? ((run: () => void) => window.setTimeout(run));
    const cancel = window.cancelIdleCallback ?? window.clearTimeout;
    const handle = wait(check);
    return () => cancel(handle);
  }, [draft, state, blurs, submit]);
  return { problems: fetcher.data?.shown?.problems, onBlur: () => setBlurs((count) => count + 1) };
}

function draftFields({ name, description, model, ...draft }: Draft): Record<string, string> {
  return { draft: JSON.stringify(draft), name, description, model };
}
