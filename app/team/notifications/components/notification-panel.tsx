import { Link, useFetcher } from "@remix-run/react";
import { CheckCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, LinkButton, Spinner } from "~/ui/button";
import { useInPlace } from "~/ui/sending";
import { RelativeTime } from "~/ui/time";
import type { Notification } from "../notifications.schema";
import { markRead } from "./notification-row";

const SHOWN = 10;
/** In CSS pixels: from the button, and from a phone's edge. */
const GAP = 6;
const EDGE = 12;
const PHONE = 640;

/** React's types of this version don't know the attribute. */
const POPOVER = { popover: "auto" };

interface PanelProps {
  unread: number;
  below: HTMLElement;
  onClosed: () => void;
}

/** The newest notifications, below the bell, in the browser's own popover: Escape and a press outside close it. */
export function NotificationPanel({ unread, below, onClosed }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const { load, data } = useFetcher<{ notifications: Notification[] }>();
  const { send, isSending } = useInPlace();
  // A new one, or one that was read elsewhere, changes their number.
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again when it changes.
  useEffect(() => load("/notifications"), [load, unread]);
  const [place] = useState(() => {
    const { bottom, right } = below.getBoundingClientRect();
    const { clientWidth } = document.documentElement;
    return { top: bottom + GAP, right: clientWidth < PHONE ? EDGE : clientWidth - right };
  });
  useEffect(() => {
    const element = panel.current;
    const onToggle = (event: Event) => {
      if ((event as ToggleEvent).newState === "closed") onClosed();
    };
    element?.addEventListener("toggle", onToggle);
    element?.showPopover();
    element?.focus();
    return () => element?.removeEventListener("toggle", onToggle);
  }, [onClosed]);
  const shown = data?.notifications.slice(0, SHOWN);
  return (
    <div
      ref={panel}
      {...POPOVER}
      role="dialog"
      aria-label="Notifications"
      tabIndex={-1}
      style={place}
      className="enter inset-auto m-0 w-96 max-w-[calc(100vw-1.5rem)] rounded-lg border-0 bg-raised p-0 text-ink shadow-float outline-none"
    >
      <header className="flex min-h-12 items-center justify-between gap-2 border-line border-b py-1.5 pr-2 pl-4">
        <h2 className="text-sm">Notifications</h2>
        {unread > 0 && (
          <Button
            type="button"
            size="sm"
            variant="ghost"
            icon={<CheckCheck aria-hidden="true" />}
            disabled={isSending}
            onClick={() => send({ intent: "read-all" }, "/notifications")}
          >
            Mark All as Read
          </Button>
        )}
      </header>
      {shown === undefined ? (
        <p className="flex items-center gap-2 px-4 py-6 text-muted">
          <Spinner /> Loading
        </p>
      ) : shown.length === 0 ? (
        <p className="px-4 py-6 text-muted">
          No notifications yet. Failed runs, waiting approvals and outages are listed here.
        </p>
      ) : (
        <ul aria-label="Newest notifications" className="max-h-[60dvh] overflow-y-auto py-1">
          {shown.map((notification) => (
            <Item key={notification.id} notification={notification} onOpened={onClosed} />
          ))}
        </ul>
      )}
      <footer className="flex flex-wrap items-center justify-between gap-2 border-line border-t px-2 py-1.5">
        <LinkButton to="/notifications" size="sm" variant="ghost" onClick={onClosed}>
          All Notifications
        </LinkButton>
        <LinkButton
          to="/settings/profile#notifications"
          size="sm"
          variant="ghost"
          className="text-muted"
          onClick={onClosed}
        >
          Choose Events
        </LinkButton>
      </footer>
    </div>
  );
}

interface ItemProps {
  notification: Notification;
  onOpened: () => void;
}

function Item({ notification, onOpened }: ItemProps) {
  const { label, title, body, link, createdAt, readAt } = notification;
  return (
    <li>
      <Link
        to={link}
        className="flex min-h-11 gap-3 px-4 py-2 hover:bg-hover focus-visible:outline-offset-[-2px]"
        onClick={() => {
          markRead(notification);
          onOpened();
        }}
      >
        <span className="grid w-2 shrink-0 place-items-center">
          {readAt === null && (
            <span role="img" aria-label="Unread" className="size-2 rounded-full bg-primary-ink" />
          )}
        </span>
        <span className="min-w-0">
          <span
            dir="auto"
            className={
              readAt === null
                ? "wrap-anywhere line-clamp-2 font-medium"
                : "wrap-anywhere line-clamp-2 text-muted"
            }
          >
            {title}
          </span>
          <span className="wrap-anywhere line-clamp-1 text-muted text-xs">
            {label} · <RelativeTime at={createdAt} style="short" />
            {body && ` · ${body.split("\n")[0]}`}
          </span>
        </span>
      </Link>
    </li>
  );
}
