import { Form, Link, useLocation } from "@remix-run/react";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { Button } from "./button";
import {
  dismissToast,
  HIDE_AFTER,
  isKnown,
  openToast,
  showToast,
  subscribe,
  type Toast,
} from "./toast-store";
import { useHydrated } from "./use-hydrated";

const ICONS = {
  success: <CircleCheck className="text-success-ink" />,
  error: <CircleAlert className="text-danger-ink" />,
  info: <Info className="text-info-ink" />,
};

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
  // The server's until the store has it.
  const toast = stored ?? (sent && !(hydrated && isKnown(sent.id)) ? sent : undefined);
  const urgent = toast?.kind === "error";
  return (
    <div
      data-toaster=""
      // At the top: buttons are at the bottom.
      className="pointer-events-none fixed inset-x-0 top-16 z-60 flex justify-center px-4 md:top-3 print:hidden"
    >
      <div role="status" className="contents">
        {toast && !urgent && <ToastPanel key={toast.id} toast={toast} />}
      </div>
      {/* Not role="alert": it is empty on most pages. */}
      <div aria-live="assertive" aria-atomic="true" className="contents">
        {toast && urgent && <ToastPanel key={toast.id} toast={toast} />}
      </div>
    </div>
  );
}

function ToastPanel({ toast }: { toast: Toast }) {
  const location = useLocation();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => (panel.current ? hideInTime(panel.current, toast) : undefined), [toast]);
  return (
    <div
      ref={panel}
      className="enter pointer-events-auto flex w-full max-w-sm items-center gap-3 rounded-lg bg-raised py-3 pr-2 pl-3.5 shadow-float [&_svg]:size-4"
    >
      <span aria-hidden="true" className="shrink-0">
        {ICONS[toast.kind]}
      </span>
      <div className="min-w-0 flex-1 py-px">
        <p className="font-medium text-ink">{toast.title}</p>
        {toast.description && <p className="mt-0.5 text-muted">{toast.description}</p>}
      </div>
      {toast.undo && (
        // Deferred: the form must exist while it is sent.
        <Form
          method="post"
          action={toast.undo.action}
          onSubmit={() => setTimeout(() => dismissToast(toast.id))}
        >
          <Button size="sm" name="intent" value={toast.undo.intent}>
            Undo
          </Button>
        </Form>
      )}
      {/* A link, which without JavaScript reloads the page. */}
      <Link
        to={{ pathname: location.pathname, search: location.search }}
        aria-label="Dismiss"
        className="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
        onClick={(event) => {
          event.preventDefault();
          dismissToast(toast.id);
        }}
      >
        <X aria-hidden="true" />
      </Link>
    </div>
  );
}

/** The delay restarts when pointer and focus leave. */
function hideInTime(panel: HTMLElement, toast: Toast): (() => void) | undefined {
  if (toast.kind === "error") return undefined;
  const controller = new AbortController();
  const { signal } = controller;
  let timer: number | undefined;
  const hold = () => window.clearTimeout(timer);
  const wait = () => {
    hold();
    timer = window.setTimeout(() => dismissToast(toast.id), HIDE_AFTER);
  };
  panel.addEventListener("pointerenter", hold, { signal });
  panel.addEventListener("pointerleave", wait, { signal });
  panel.addEventListener("focusin", hold, { signal });
  panel.addEventListener("focusout", wait, { signal });
  wait();
  return () => {
    hold();
    controller.abort();
  };
}
