import { Form, useLoaderData } from "@remix-run/react";
import { BellRing, CheckCheck, Settings2 } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { NotificationRow } from "~/team/notifications/components/notification-row";
import { NotificationQuery } from "~/team/notifications/notifications.schema";
import {
  countUnread,
  markAllRead,
  markNotification,
  pageNotifications,
} from "~/team/notifications/notifications.service.server";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { CursorPages } from "~/ui/pagination";
import { RowList } from "~/ui/row-selection";
import { Tabs } from "~/ui/tabs";

export const meta = pageTitle("Notifications");

const markAs = (isRead: boolean) =>
  intent({
    access: "notifications.own",
    target: "id",
    run: ({ actor, target }) => void markNotification(actor, target, isRead),
    failed: { toast: "Couldn't mark the notification" },
  });

const { loader, action } = screen({
  access: "notifications.own",
  query: NotificationQuery.extend({ unread: NotificationQuery.shape.unread.catch(false) }),
  load: ({ actor, query }) => ({
    ...pageNotifications(actor, { ...query, limit: 50 }),
    unread: countUnread(actor),
    isUnreadOnly: query.unread,
    cursor: query.cursor,
  }),
  actions: {
    read: markAs(true),
    unread: markAs(false),
    "read-all": intent({
      access: "notifications.own",
      run: ({ actor }) => markAllRead(actor),
      done: "All notifications marked as read",
    }),
  },
  back: ({ url }) => `${url.pathname}${url.search}`,
});

export { action, loader };

export default function Notifications() {
  const { notifications, next, unread, isUnreadOnly, cursor } = useLoaderData<typeof loader>();
  useLiveTopics(["notifications"]);
  const address = (page?: string) => {
    const search = new URLSearchParams();
    if (isUnreadOnly) search.set("unread", "true");
    if (page) search.set("cursor", page);
    return search.size > 0 ? `/notifications?${search}` : "/notifications";
  };
  return (
    <>
      <PageHeader
        title="Notifications"
        subtitle="See what failed, recovered or waits for you"
        actions={
          <>
            <LinkButton to="/settings/profile#notifications" icon={<Settings2 aria-hidden="true" />}>
              Choose Events
            </LinkButton>
            {unread > 0 && (
              <Form method="post">
                <Button name="intent" value="read-all" icon={<CheckCheck aria-hidden="true" />}>
                  Mark All as Read
                </Button>
              </Form>
            )}
          </>
        }
      />
      <Tabs
        label="Notifications"
        tabs={[
          { label: "All", to: "/notifications", active: !isUnreadOnly },
          {
            label: unread > 0 ? `Unread (${unread})` : "Unread",
            to: "/notifications?unread=true",
            active: isUnreadOnly,
          },
        ]}
      />
      <div className="pt-6">
        {notifications.length === 0 ? (
          <EmptyState
            icon={<BellRing />}
            title={isUnreadOnly ? "No unread notifications" : "No notifications yet"}
            description="Failed runs, waiting approvals and outages are listed here."
          />
        ) : (
          <RowList label="Notifications">
            {notifications.map((notification) => (
              <NotificationRow key={notification.id} notification={notification} />
            ))}
          </RowList>
        )}
      </div>
      <CursorPages first={cursor && address()} next={next && address(next)} nextLabel="Older Notifications" />
    </>
  );
}
