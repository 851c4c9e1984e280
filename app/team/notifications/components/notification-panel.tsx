import { Link } from "@remix-run/react";
import { CheckCheck } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { Button, LinkButton, Spinner } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { useInPlace } from "~/ui/sending";
import type { Notification } from "../notifications.schema";
import { markRead, NotificationFacts, type NotificationProps, UnreadDot } from "./notification-row";

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

/** Asked beside the page, which a failure here must not replace. */
async function askNewest(): Promise<readonly Notification[] | "failed"> {
  try {
    const response = await fetch(withBase(`/api/notifications?limit=${SHOWN}`));
    return response.ok ? await response.json() : "failed";
  } catch {
    return "failed";
  }
}

/** @param unread changes with a new notification, and with one that was read elsewhere */
function useNewest(unread: number) {
  const [newest, setNewest] = useState<Awaited<ReturnType<typeof askNewest>>>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks again when their number changes.
  useEffect(() => {
    let isCurrent = true;
    void askNewest().then((answer) => isCurrent && setNewest(answer));
    return () => {
      isCurrent = false;
    };
  }, [unread]);
  return newest;
}

/** The newest notifications, below the bell, in the browser's own popover: Escape and a press outside close it. */
export function NotificationPanel({ unread, below, onClosed }: PanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const newest = useNewest(unread);
  const { send, isSending } = useInPlace();
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
  return (
    <div
      ref={panel}
      data-notification-panel=""
      {...POPOVER}
      role="dialog"
      aria-label="Notifications"
      tabIndex={-1}
      style={place}
      // The palette, too, takes the focus, and would open below it.
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) onClosed();
      }}
      className="enter inset-auto m-0 max-h-[calc(100dvh-var(--header)-1rem)] w-96 max-w-[calc(100vw-1.5rem)] flex-col rounded-lg border-0 bg-raised p-0 text-ink shadow-float outline-none open:flex"
    >
      <header className="flex min-h-12 shrink-0 items-center justify-between gap-2 border-line border-b py-1.5 pr-2 pl-4">
        <h2 className="text-sm">Notifications</h2>
        {unread > 0 && (
          <Button
            type="button"
            size="sm"
            variant="ghost"
            icon={<CheckCheck aria-hidden="true" />}
            disabled={isSending}
            onClick={() => {
              // The button goes once it has its answer.
              panel.current?.focus();
              send({ intent: "read-all" }, "/notifications");
            }}
          >
            Mark All as Read
          </Button>
        )}
      </header>
      {Array.isArray(newest) && newest.length > 0 ? (
        <ul aria-label="Newest notifications" className="min-h-0 overflow-y-auto py-1 sm:max-h-[60dvh]">
          {newest.map((notification) => (
            <Item key={notification.id} notification={notification} onOpened={onClosed} />
          ))}
        </ul>
      ) : (
        <p role="status" className="flex items-center gap-2 px-4 py-6 text-muted">
          {newest === undefined ? (
            <>
              <Spinner /> Loading
            </>
          ) : newest === "failed" ? (
            "Couldn't load the notifications. Open all of them to try again."
          ) : (
            "No notifications yet. Failed runs, waiting approvals and outages are listed here."
          )}
        </p>
      )}
      <footer className="flex shrink-0 flex-wrap items-center justify-between gap-2 border-line border-t px-2 py-1.5">
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

interface ItemProps extends NotificationProps {
  onOpened: () => void;
}

function Item({ notification, onOpened }: ItemProps) {
  const { title, link, readAt } = notification;
  const isUnread = readAt === null;
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
        <span className="grid w-2 shrink-0 place-items-center">{isUnread && <UnreadDot />}</span>
        <span className="min-w-0">
          <span className={cx("wrap-anywhere line-clamp-2", isUnread ? "font-medium" : "text-muted")}>
            {title}
          </span>
          <span className="wrap-anywhere line-clamp-1 text-muted text-xs">
            <NotificationFacts notification={notification} />
          </span>
        </span>
      </Link>
    </li>
  );
}
