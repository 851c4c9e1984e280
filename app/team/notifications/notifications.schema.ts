import { z } from "zod";
import { CHANNELS, EVENT_NAMES, PERSONAL_CHANNELS } from "~/platform/settings/events.shared";

const NotificationEventName = z.enum(EVENT_NAMES);

export const Notification = z.object({
  id: z.string(),
  event: z.string().describe(`One of ${NotificationEventName.options.join(", ")}`),
  label: z.string().describe("Name of the event"),
  title: z.string(),
  body: z.string(),
  link: z.string().describe("Path of the console"),
  createdAt: z.iso.datetime(),
  readAt: z.iso.datetime().nullable(),
});
export type Notification = z.infer<typeof Notification>;

export const NotificationQuery = z.object({
  unread: z.stringbool().default(false).describe("Only unread ones"),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export type NotificationQuery = z.infer<typeof NotificationQuery>;

export const NotificationCount = z.object({ unread: z.int() });

export const NotificationId = z.object({ id: z.string().max(64) });

export const NotificationChange = z.object({ read: z.boolean() });

const ChannelList = z.array(z.enum(PERSONAL_CHANNELS)).max(PERSONAL_CHANNELS.length);

/** Omitted events keep their channels. */
export const NotificationPreferencesInput = z.strictObject({
  events: z.partialRecord(NotificationEventName, ChannelList),
});
export type NotificationPreferencesInput = z.infer<typeof NotificationPreferencesInput>;

/** `event:channel` per checked box. */
export const NotificationPreferencesForm = z.object({
  channels: z.array(z.string().max(64)).max(64).default([]),
});

export const NotificationPreferences = z.object({
  events: z.array(
    z.object({
      event: NotificationEventName,
      label: z.string(),
      hint: z.string(),
      channels: z.array(z.enum(PERSONAL_CHANNELS)),
    }),
  ),
  on: z.array(z.enum(CHANNELS)).describe("Channels that the organization switched on"),
});
export type NotificationPreferences = z.infer<typeof NotificationPreferences>;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** HTTPS, or a local service in tests. */
function isPushAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || url.username || url.password) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}

const base64url = (length: number) =>
  z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{${length}}$`), "Send the key exactly as the browser returned it");

/** The result of `PushSubscription.toJSON()`. */
export const PushSubscriptionInput = z.object({
  endpoint: z
    .string()
    .max(1000)
    .refine(isPushAddress, "Send the endpoint exactly as the browser returned it"),
  expirationTime: z.number().nullish(),
  keys: z.object({
    // The keys have 65 and 16 bytes.
    p256dh: base64url(87),
    auth: base64url(22),
  }),
});
export type PushSubscriptionInput = z.infer<typeof PushSubscriptionInput>;

const PushBrowser = z.object({
  id: z.string(),
  userAgent: z.string().nullable(),
  isCurrent: z.boolean().describe("Whether this session's browser subscribed it"),
  createdAt: z.iso.datetime(),
});

export const PushSettings = z.object({
  publicKey: z.string().describe("The key that a browser subscribes with (applicationServerKey)"),
  browsers: z.array(PushBrowser),
});
export type PushSettings = z.infer<typeof PushSettings>;

const DELIVERY_STATES = ["queued", "sending", "sent", "failed", "skipped"] as const;

export const ChannelState = z.object({
  channel: z.enum(CHANNELS),
  label: z.string(),
  isOn: z.boolean(),
  problem: z.string().nullable().describe("Message about a missing setup"),
});
export type ChannelState = z.infer<typeof ChannelState>;

export const ChannelTest = z.strictObject({ channel: z.enum(CHANNELS) });

export const Delivery = z.object({
  id: z.string(),
  channel: z.enum(CHANNELS),
  event: z.string(),
  label: z.string().describe("Name of the event"),
  recipient: z.string().nullable().describe("Name of the person; null for a shared channel"),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number().int(),
  error: z.string().nullable().describe("Of the last attempt"),
  createdAt: z.iso.datetime(),
});
export type Delivery = z.infer<typeof Delivery>;
