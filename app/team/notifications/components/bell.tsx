import { Bell as BellIcon } from "lucide-react";
import { useEffect } from "react";
import { LinkButton } from "~/ui/button";

export function Bell({ unread }: { unread: number }) {
  // On the icon of the installed app; browsers without such icons have no such function.
  useEffect(() => void navigator.setAppBadge?.(unread).catch(() => undefined), [unread]);
  const count = unread > 99 ? "99+" : String(unread);
  return (
    <LinkButton
      to="/notifications"
      variant="ghost"
      size="sm"
      aria-label={unread > 0 ? `Notifications, ${count} unread` : "Notifications"}
      className="relative aspect-square min-w-8 px-0 pointer-coarse:min-w-11"
      icon={<BellIcon aria-hidden="true" />}
    >
      {unread > 0 && (
        <span
          aria-hidden="true"
          className="absolute -top-1 -right-1 min-w-4.5 rounded-full bg-primary-solid px-1 text-center font-medium text-on-solid text-xs tabular-nums leading-4.5"
        >
          {count}
        </span>
      )}
    </LinkButton>
  );
}
