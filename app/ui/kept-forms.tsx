import { useBeforeUnload, useLocation, useNavigation, useRevalidator } from "@remix-run/react";
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { Button } from "./button";
import { Notice } from "./notice";
import { isLeaving } from "./typed-text";
import { unsavedFields } from "./unsaved-changes";
import { useIsSavedElsewhere } from "./use-is-saved-elsewhere";

/** Whether the last form was refused: the page of a saved one is redirected to. */
const isRefused = () => window.__remixRouter.state.actionData != null;

/**
 * Keeps what was typed or chosen in the forms of `section` over a reload, a visit to another screen, and signing in again, until it
 * is saved or discarded. Asks before the tab is closed.
 */
function UnsavedNotice({ section }: { section: RefObject<HTMLElement> }) {
  const { pathname, key } = useLocation();
  const navigation = useNavigation();
  const revalidator = useRevalidator();
  const store = useRef<ReturnType<typeof unsavedFields>>();
  const [restoredOn, setRestoredOn] = useState<string>();
  const isIdle = navigation.state === "idle" && revalidator.state === "idle";

  useEffect(() => {
    if (!section.current) return;
    const controller = new AbortController();
    store.current = unsavedFields(section.current, pathname, controller.signal);
    if (store.current.restore()) setRestoredOn(pathname);
    return () => controller.abort();
  }, [section, pathname]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a form may be sent and answered between two renders.
  useEffect(() => {
    if (!isIdle || !store.current) return;
    if (store.current.endSubmit(isRefused())) setRestoredOn(undefined);
    // Saving remounts the fields of other forms too.
    store.current.restore();
  }, [isIdle, key]);

  const isSavedElsewhere = useIsSavedElsewhere();
  useEffect(() => {
    if (isSavedElsewhere) store.current?.endSubmit(false);
  }, [isSavedElsewhere]);
  useBeforeUnload(
    useCallback((event) => {
      if (!isLeaving() && store.current?.isUnsaved()) event.preventDefault();
    }, []),
  );

  const discard = () => {
    store.current?.discard();
    setRestoredOn(undefined);
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  };
  return (
    <div role="status">
      {restoredOn === pathname && (
        <Notice title="Unsaved changes restored" className="mt-4">
          <p>Save or discard what you changed earlier.</p>
          <Button type="button" size="sm" className="mt-2" onClick={discard}>
            Discard
          </Button>
        </Notice>
      )}
    </div>
  );
}

/** A part of a page whose forms keep what was typed; see `UnsavedNotice`. */
export function KeptForms({ className, children }: { className?: string; children: ReactNode }) {
  const section = useRef<HTMLDivElement>(null);
  return (
    <>
      <UnsavedNotice section={section} />
      <div ref={section} className={className}>
        {children}
      </div>
    </>
  );
}
