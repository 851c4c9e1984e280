import { z } from "zod";
import { created, endpoint, endpoints, nothing, page } from "~/platform/endpoint/endpoint.shared";
import { ChannelState, ChannelTest, Delivery } from "./deliveries.schema";
import { listChannels, listDeliveries, testChannel } from "./delivery.service.server";
import {
  Notification,
  NotificationChange,
  NotificationCount,
  NotificationId,
  NotificationPreferences,
  NotificationPreferencesInput,
  NotificationQuery,
  PushSettings,
  PushSubscriptionInput,
} from "./notifications.schema";
import {
  countUnread,
  markAllRead,
  markNotification,
  pageNotifications,
} from "./notifications.service.server";
import { readPreferences, savePreferences } from "./preferences.service.server";
import { readPushSettings, subscribeBrowser, unsubscribeBrowser } from "./subscriptions.service.server";

export const notificationsApi = endpoints("Notifications", [
  endpoint({
    method: "POST",
    path: "/api/notifications/channels/{channel}/test",
    summary: "Send a test over a channel",
    description: "An email and pushes go to you. The error says why a test was not sent.",
    access: "settings.manage",
    params: ChannelTest,
    status: 204,
    handle: async ({ actor, params }) => {
      await testChannel(actor, params.channel);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/notifications/channels",
    summary: "List the channels with any missing configuration",
    access: "settings.manage",
    response: z.array(ChannelState),
    handle: ({ actor }) => listChannels(actor),
  }),
  endpoint({
    method: "GET",
    path: "/api/notifications/count",
    summary: "Count your unread notifications",
    access: "notifications.own",
    response: NotificationCount,
    handle: ({ actor }) => ({ unread: countUnread(actor) }),
  }),
  endpoint({
    method: "GET",
    path: "/api/notifications/deliveries",
    summary: "List the last deliveries",
    access: "settings.manage",
    response: z.array(Delivery),
    handle: ({ actor }) => listDeliveries(actor),
  }),
  endpoint({
    method: "PATCH",
    path: "/api/notifications/{id}",
    summary: "Mark a notification as read or unread",
    access: "notifications.own",
    params: NotificationId,
    body: NotificationChange,
    response: Notification,
    handle: ({ actor, params, body }) => markNotification(actor, params.id, body.read),
  }),
  endpoint({
    method: "GET",
    path: "/api/notifications",
    summary: "List your notifications, newest first",
    access: "notifications.own",
    query: NotificationQuery,
    response: z.array(Notification),
    handle: ({ actor, query }) => {
      const { notifications, next } = pageNotifications(actor, query);
      return page(notifications, next);
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/notifications/preferences",
    summary: "Get the channels of your events",
    access: "notifications.own",
    response: NotificationPreferences,
    handle: ({ actor }) => readPreferences(actor),
  }),
  endpoint({
    method: "PUT",
    path: "/api/notifications/preferences",
    summary: "Choose the channels of your events",
    access: "preferences.write",
    body: NotificationPreferencesInput,
    response: NotificationPreferences,
    handle: ({ actor, body }) => savePreferences(actor, body),
  }),
  endpoint({
    method: "DELETE",
    path: "/api/notifications/push/{id}",
    summary: "Unsubscribe a browser",
    access: "preferences.write",
    params: NotificationId,
    status: 204,
    handle: ({ actor, params }) => {
      unsubscribeBrowser(actor, params.id);
      return nothing();
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/notifications/push",
    summary: "Get the push key and your subscribed browsers",
    access: "notifications.own",
    response: PushSettings,
    handle: ({ actor }) => readPushSettings(actor),
  }),
  endpoint({
    method: "POST",
    path: "/api/notifications/push",
    summary: "Subscribe a browser to your pushes",
    access: "preferences.write",
    body: PushSubscriptionInput,
    response: PushSettings,
    status: 201,
    handle: ({ actor, body, headers }) =>
      created(subscribeBrowser(actor, body, headers.get("user-agent")), "/api/notifications/push"),
  }),
  endpoint({
    method: "POST",
    path: "/api/notifications/read-all",
    summary: "Mark all your notifications as read",
    access: "notifications.own",
    status: 204,
    handle: ({ actor }) => {
      markAllRead(actor);
      return nothing();
    },
  }),
]);
