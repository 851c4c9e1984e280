import { Form, Link, useLocation } from "@remix-run/react";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "./button";
import { dismissToast, HIDE_AFTER, type Toast } from "./toast-store";

const ICONS = {
  success: <CircleCheck className="text-success-ink" />,
  error: <CircleAlert className="text-danger-ink" />,
  info: <Info className="text-info-ink" />,
};

export function ToastPanel({ toast }: { toast: Toast }) {
  const location = useLocation();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => (panel.current ? hideAfterDelay(panel.current, toast) : undefined), [toast]);
  return (
    <div
      ref={panel}
      data-toast=""
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

function hideAfterDelay(panel: HTMLElement, toast: Toast): (() => void) | undefined {
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
