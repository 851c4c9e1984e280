import { useCallback, useEffect, useState } from "react";
import { withBase } from "~/core/base-path";
import type { PickerFacts } from "../model-facts.shared";

/** What the server says of the models, asked when a picker opens. Without it they can still be chosen by name. */
export function usePickerFacts() {
  const [loaded, setLoaded] = useState<PickerFacts>();
  const [isFailed, setFailed] = useState(false);
  const [version, setVersion] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version asks again.
  useEffect(() => {
    const controller = new AbortController();
    fetch(withBase("/model/facts"), { signal: controller.signal })
      .then(async (response) => {
        if (!response.ok) throw new Error(`The models' facts answered ${response.status}.`);
        setLoaded((await response.json()) as PickerFacts);
        setFailed(false);
      })
      .catch(() => {
        // The panel says so.
        if (!controller.signal.aborted) setFailed(true);
      });
    return () => controller.abort();
  }, [version]);
  const reload = useCallback(() => setVersion((before) => before + 1), []);
  return { loaded, isFailed, reload };
}
