import { useLocation, useNavigate } from "@remix-run/react";
import { LogOut, WifiOff } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { withoutBase } from "~/core/base-path";
import { Button, LinkButton } from "./button";
import { type Connection, readConnection, retryHeld, subscribe } from "./connection";

const TITLES: Record<Exclude<Connection, "ok">, string> = {
  offline: "You are offline",
  unreachable: "The server can't be reached",
  "signed-out": "You are signed out",
};

export function OfflineBar() {
  const connection = useSyncExternalStore(subscribe, readConnection, () => "ok" as const);
  const navigate = useNavigate();
  const queuedHref = useRef<string>();
  const { pathname, search } = useLocation();
  const isSignedOut = connection === "signed-out";
  const isDown = connection !== "ok" && !isSignedOut;
  useEffect(() => {
    if (!isDown) {
      if (queuedHref.current) navigate(queuedHref.current);
      queuedHref.current = undefined;
      return;
    }
    const queueNavigation = (event: MouseEvent) => {
      const link =
        event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
      if (!link || link.origin !== location.origin || event.ctrlKey || event.metaKey || event.shiftKey)
        return;
      // Dialogs need no request.
      if (link.pathname === location.pathname) return;
      event.preventDefault();
      queuedHref.current = withoutBase(link.pathname) + link.search + link.hash;
    };
    // Who types has gone on: the page must not be left under their hands.
    const forget = () => {
      queuedHref.current = undefined;
    };
    document.addEventListener("click", queueNavigation, { capture: true });
    document.addEventListener("input", forget, { capture: true });
    return () => {
      document.removeEventListener("click", queueNavigation, { capture: true });
      document.removeEventListener("input", forget, { capture: true });
    };
  }, [isDown, navigate]);
  if (connection === "ok") return null;
  const Icon = isSignedOut ? LogOut : WifiOff;
  return (
    <div
      data-toaster=""
      className="pointer-events-none fixed inset-x-0 top-2 z-60 flex justify-center px-4 print:hidden"
    >
      <div
        role="status"
        className="pointer-events-auto flex items-center gap-3 rounded-lg bg-raised py-1.5 pr-1.5 pl-3.5 shadow-float"
      >
        <Icon aria-hidden="true" className="size-4 shrink-0 text-warning-ink" />
        <p className="font-medium">{TITLES[connection]}</p>
        {isSignedOut ? (
          <LinkButton
            size="sm"
            to={`/api/login?returnTo=${encodeURIComponent(pathname + search)}`}
            reloadDocument
          >
            Sign In
          </LinkButton>
        ) : (
          <Button type="button" size="sm" onClick={() => retryHeld()}>
            Retry
          </Button>
        )}
      </div>
    </div>
  );
}
