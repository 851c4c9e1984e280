import { useLocation, useNavigation, useSearchParams } from "@remix-run/react";
import { Dialog } from "./dialog";

interface Opened {
  /** The parameters that say what is open. */
  search: URLSearchParams;
  /** True while what it shows is still being loaded. */
  isLoading: boolean;
}

/**
 * What is open on a page: a link opens its dialog in the next frame, before its data are there.
 *
 * @param below the address of dialogs that a route below the page's own shows
 */
export function useOpened(below?: string): Opened {
  const [search] = useSearchParams();
  const { pathname } = useLocation();
  const { state, location, formData } = useNavigation();
  const isSame = location?.pathname === pathname || (below !== undefined && location?.pathname === below);
  if (state !== "loading" || formData || !isSame) return { search, isLoading: false };
  return { search: new URLSearchParams(location?.search), isLoading: true };
}

/** Stands for a dialog until its data are there. */
export function OpeningDialog({ title, closeTo }: { title: string; closeTo: string }) {
  return (
    <Dialog title={title} closeTo={closeTo}>
      <div role="status" aria-label="Loading" className="flex flex-col gap-4 py-2">
        {["h-9", "h-9", "h-20"].map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: three bars that never move.
          <div key={index} className={`${height} rounded-md bg-active`} />
        ))}
      </div>
    </Dialog>
  );
}
