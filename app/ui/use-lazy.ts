import { useEffect, useRef, useState } from "react";

/**
 * What a dynamic import brings, once it is there: for what is heavy and only adds comfort, such as checking a form before
 * the server does.
 */
export function useLazy<T extends object>(load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<T>();
  const loader = useRef(load);
  useEffect(() => {
    let wanted = true;
    // Without it the server still checks: a lost connection here is no error of its own.
    loader.current().then(
      (module) => wanted && setLoaded(module),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, []);
  return loaded;
}
