import { type ComponentProps, type ComponentType, lazy, Suspense } from "react";
import { OpeningDialog } from "./use-opened";

/**
 * A dialog whose code loads when it first opens; `frameOf` gives the frame shown meanwhile. The server renders it whole.
 */
export function lazyDialog<P extends object>(
  load: () => Promise<ComponentType<P>>,
  frameOf: (props: P) => ComponentProps<typeof OpeningDialog>,
): ComponentType<P> {
  const Loaded = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  return function LazyDialog(props: P) {
    return (
      <Suspense fallback={<OpeningDialog {...frameOf(props)} />}>
        <Loaded {...props} />
      </Suspense>
    );
  };
}
