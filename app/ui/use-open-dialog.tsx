import { useLocation, useNavigation, useRevalidator, useSearchParams } from "@remix-run/react";
import { type ComponentProps, type ComponentType, lazy, Suspense, useEffect, useRef, useState } from "react";
import { withoutBase } from "~/core/base-path";
import { Dialog } from "./dialog";
import { loadBeforeHydration } from "./hydration";

interface OpenDialogOptions {
  /** Dialogs with loader data, by name or parameters. */
  loads?: readonly string[] | ((search: URLSearchParams) => boolean);
  /** Address prefix of a child route's dialogs. */
  below?: string;
}

interface OpenDialog {
  /** The parameters that say what is open. */
  search: URLSearchParams;
  /** True while what it shows is still being loaded. */
  isLoading: boolean;
}

/**
 * Returns what is open on a page, for routes with `ignoreDialogParams()`: a link changes the URL and opens its dialog in the
 * next frame. The dialog's data loads after that, so that Back can close it meanwhile.
 * @param data the page's loader data; a new object means that it was reloaded
 */
export function useOpenDialog(data: unknown, { loads = [], below }: OpenDialogOptions = {}): OpenDialog {
  const [current] = useSearchParams();
  const { pathname, search: query } = useLocation();
  const { state, location, formData } = useNavigation();
  // The navigation's own address has the base path.
  const next = location && withoutBase(location.pathname);
  const isSame = next === pathname || (below !== undefined && next === below);
  const isOpening = state === "loading" && !formData && isSame;
  const search = isOpening ? new URLSearchParams(location?.search) : current;
  const needs = typeof loads === "function" ? loads(search) : loads.includes(search.get("dialog") ?? "");
  const isMissing = useMissing(data, `${pathname}${query}`, needs && !isOpening);
  const { revalidate } = useRevalidator();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each address has data of its own
  useEffect(() => {
    if (isMissing) revalidate();
  }, [isMissing, pathname, query]);
  return { search, isLoading: isMissing || isOpening };
}

/**
 * The record of an open form, which stays while others delete it: what is typed would go with it.
 * @param id in the address
 * @param found among what is loaded now
 */
export function useOpened<T>(id: string | null, found: T | undefined): T | undefined {
  const opened = useRef({ id, found });
  if (found !== undefined || opened.current.id !== id) opened.current = { id, found };
  return opened.current.found;
}

function useMissing(data: unknown, address: string, needs: boolean): boolean {
  const [seen, setSeen] = useState({ data, address, isMissing: false });
  if (seen.data === data && seen.address === address) return seen.isMissing;
  const next = { data, address, isMissing: seen.data === data && needs };
  setSeen(next);
  return next.isMissing;
}

export function LoadingDialog(props: Omit<ComponentProps<typeof Dialog>, "children">) {
  return (
    <Dialog {...props}>
      <div role="status" aria-label="Loading" className="flex flex-col gap-4 py-2">
        {["h-9", "h-9", "h-20"].map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: three bars that never move.
          <div key={index} className={`${height} rounded-md bg-active`} />
        ))}
      </div>
    </Dialog>
  );
}

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
