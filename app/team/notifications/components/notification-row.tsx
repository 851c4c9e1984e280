import { Check, Undo2 } from "lucide-react";
import { withBase } from "~/core/base-path";
import { Row } from "~/ui/row";
import { RelativeTime } from "~/ui/time";
import type { Notification } from "../notifications.schema";

export interface NotificationProps {
  notification: Notification;
}

/** Without the form, whose response would navigate back to the list. */
export function markRead({ id, readAt }: Pick<Notification, "id" | "readAt">): void {
  if (readAt !== null) return;
  void fetch(withBase(`/api/notifications/${id}`), {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ read: true }),
    keepalive: true,
  }).catch(() => undefined);
}

export function UnreadDot() {
  return <span role="img" aria-label="Unread" className="size-2 rounded-full bg-primary-ink" />;
}

/** What it is of, when, and its first line. */
export function NotificationFacts({ notification: { label, body, createdAt } }: NotificationProps) {
  return (
    <>
      {label} · <RelativeTime at={createdAt} style="short" />
      {body && ` · ${body.split("\n")[0]}`}
    </>
  );
}

export function NotificationRow({ notification }: NotificationProps) {
  const { id, title, link, readAt } = notification;
  const isUnread = readAt === null;
  return (
    <Row
      name={title}
      to={link}
      onClick={(click) => {
        if (click.target instanceof Element && click.target.closest("a[href]")) markRead(notification);
      }}
      title={isUnread ? title : <span className="font-normal text-muted">{title}</span>}
      icon={isUnread ? <UnreadDot /> : <span />}
      meta={<NotificationFacts notification={notification} />}
      actions={[
        isUnread
          ? {
              label: "Mark as Read",
              fullLabel: `Mark "${title}" as read`,
              icon: <Check />,
              values: { intent: "read", id },
            }
          : {
              label: "Mark as Unread",
              fullLabel: `Mark "${title}" as unread`,
              icon: <Undo2 />,
              values: { intent: "unread", id },
            },
      ]}
    />
  );
}
