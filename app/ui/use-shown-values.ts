import { useNavigation } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { Result } from "./form-result";

/**
 * What a form shows: what was loaded last, until someone types. What others save meanwhile doesn't replace it; its version,
 * which is sent with it, then refuses to overwrite theirs.
 * @param intent of the button that saves
 */
export function useShownValues<T>(loaded: T, intent: string, result: Result): { shown: T; onInput(): void } {
  const { formData } = useNavigation();
  const [isEdited, setIsEdited] = useState(false);
  const shown = useRef(loaded);
  if (!isEdited) shown.current = loaded;
  const isSending = formData?.get("intent") === intent;
  const refused = useRef(result);
  refused.current = result;
  useEffect(() => {
    if (!isSending) return;
    return () => {
      if (!refused.current) setIsEdited(false);
    };
  }, [isSending]);
  return { shown: shown.current, onInput: () => setIsEdited(true) };
}
