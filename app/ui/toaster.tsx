import { useNavigation } from "@remix-run/react";
import { useEffect, useSyncExternalStore } from "react";
import { useHydrated } from "./hydration";
import { lazyPart, onFirstUse } from "./lazy-part";
import { dismissSuccess, isKnown, openToast, showToast, subscribe, type Toast } from "./toast-store";

const panel = lazyPart(() => import("./toast-panel").then((module) => module.ToastPanel), "[data-toast]");
onFirstUse(panel.preload);

interface ToasterProps {
  toast?: Toast | null | undefined;
  /** Whether the page is about to be loaded from the server, which then sends the toast again. */
  isReloading?: boolean;
}

/** One toast at a time. Errors stay; others hide after six seconds, or later while hovered or focused. */
export function Toaster({ toast: sent, isReloading }: ToasterProps) {
  const hydrated = useHydrated();
  const stored = useSyncExternalStore(subscribe, openToast, () => undefined);
  useEffect(() => {
    if (!sent) return;
    showToast(sent);
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS.
    if (sent.forget && !isReloading) document.cookie = sent.forget;
  }, [sent, isReloading]);
  const isSubmitting = useNavigation().state === "submitting";
  // Beside the next form's error it would contradict it.
  useEffect(() => {
    if (isSubmitting) dismissSuccess();
  }, [isSubmitting]);
  // The server's until the store has it.
  const toast = stored ?? (sent && !(hydrated && isKnown(sent.id)) ? sent : undefined);
  const urgent = toast?.kind === "error";
  return (
    <div
      data-toaster=""
      // Over the header, since a page's title is below it and buttons are at the bottom. A dialog makes room (DialogBox); a
      // phone's sheet begins higher and has its Close button at the right. The builder's bar is where others have their title.
      className="[html:has([data-bleed][data-takes-keys])_&]:md:top-36 [html:has([data-bleed][data-takes-keys])_&]:xl:top-28 [html:has(aside:target)_&]:max-md:top-16 [html:has(aside:target)_&]:max-md:pr-17 pointer-events-none fixed inset-x-0 top-1 z-60 flex justify-center px-4 md:top-3 print:hidden"
    >
      <div role="status" className="contents">
        {toast && !urgent && <panel.Part key={toast.id} toast={toast} />}
      </div>
      {/* Not role="alert": it is empty on most pages. */}
      <div aria-live="assertive" aria-atomic="true" className="contents">
        {toast && urgent && <panel.Part key={toast.id} toast={toast} />}
      </div>
    </div>
  );
}
