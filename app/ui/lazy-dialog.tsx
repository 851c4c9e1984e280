import { type ComponentProps, type ComponentType, lazy, Suspense, useState } from "react";
import { loadBeforeHydration } from "./before-hydration";
import { LoadingDialog } from "./use-open-dialog";

/** Loaded on first opening, within `frameOf`; the server renders it whole. */
export function lazyDialog<P extends object>(
  load: () => Promise<ComponentType<P>>,
  frameOf: (props: P) => ComponentProps<typeof LoadingDialog>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  const loadModule = async () => {
    loaded = await load();
    return { default: loaded };
  };
  const Lazy = lazy(loadModule) as unknown as ComponentType<P>;
  if (typeof document !== "undefined" && document.querySelector("dialog[open]"))
    loadBeforeHydration(loadModule());
  return function LazyDialog(props: P) {
    // Constant while mounted: another type would lose its state.
    const [Content] = useState(() => loaded ?? Lazy);
    return (
      <Suspense fallback={<LoadingDialog {...frameOf(props)} />}>
        <Content {...props} />
      </Suspense>
    );
  };
}
