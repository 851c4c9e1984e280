import { useLocation } from "@remix-run/react";
import { Bell as BellIcon } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { LinkButton } from "~/ui/button";
import { useHydrated } from "~/ui/hydration";
import { lazyPart } from "~/ui/lazy-part";

const panel = lazyPart(
  () => import("./notification-panel").then((module) => module.NotificationPanel),
  "[data-notification-panel]",
);

/** A link to the notifications' page; with JavaScript it shows the newest in place. */
export function Bell({ unread }: { unread: number }) {
  // On the icon of the installed app; browsers without such icons have no such function.
  useEffect(() => void navigator.setAppBadge?.(unread).catch(() => undefined), [unread]);
  const { pathname, key } = useLocation();
  const hydrated = useHydrated();
  const [opener, setOpener] = useState<HTMLElement>();
  /** The press itself closes the panel, before it is a click. */
  const wasOpen = useRef(false);
  const onClosed = useCallback(() => setOpener(undefined), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has been opened.
  useEffect(onClosed, [key]);
  const count = unread > 99 ? "99+" : String(unread);
  return (
    <>
      <LinkButton
        to="/notifications"
        variant="ghost"
        size="sm"
        aria-label={unread > 0 ? `Notifications, ${count} unread` : "Notifications"}
        {...(hydrated && { "aria-haspopup": "dialog", "aria-expanded": opener !== undefined })}
        className="relative aspect-square min-w-8 px-0 pointer-coarse:min-w-11"
        icon={<BellIcon aria-hidden="true" />}
        onPointerEnter={panel.preload}
        onPointerDown={() => {
          wasOpen.current = opener !== undefined;
        }}
        onClick={(event) => {
          const isByKey = event.detail === 0;
          const isClosing = isByKey ? opener !== undefined : wasOpen.current;
          if (event.metaKey || event.ctrlKey || event.shiftKey || pathname === "/notifications") return;
          event.preventDefault();
          setOpener(isClosing ? undefined : event.currentTarget);
        }}
      >
        {unread > 0 && (
          <span
            aria-hidden="true"
            className="absolute top-0 -right-0.5 min-w-4.5 rounded-full bg-primary-solid px-1 text-center font-medium text-on-solid text-xs tabular-nums leading-4.5"
          >
            {count}
          </span>
        )}
      </LinkButton>
      {opener && <panel.Part unread={unread} below={opener} onClosed={onClosed} />}
    </>
  );
}
