import type { NotificationEvent } from "~/platform/settings/events.shared";

export interface OutgoingMessage {
  /** The same for each attempt. */
  id: string;
  orgId: string;
  event: NotificationEvent | "test";
  title: string;
  body: string;
  link: string;
  createdAt: number;
}

/** An email address, push subscription, or null for a shared channel. */
export interface ChannelTarget {
  email?: string;
  subscription?: { endpoint: string; p256dh: string; auth: string };
}

export interface ChannelSender {
  label: string;
  /** Message about a missing setup; undefined if ready. */
  findProblem(orgId: string): string | undefined;
  /** Whether a failed attempt may have been delivered. Omit if receivers deduplicate by id. */
  isDeliveryUncertain?(error: unknown): boolean;
  /** @throws AppError; the signal's reason */
  send(message: OutgoingMessage, target: ChannelTarget, signal: AbortSignal): Promise<void>;
}
