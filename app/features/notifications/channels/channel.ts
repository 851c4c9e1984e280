import type { NotificationEvent } from "../events.shared";

/** A notification as a channel sends it. */
export interface OutgoingMessage {
  /** The same for each attempt. */
  id: string;
  orgId: string;
  event: NotificationEvent | "test";
  title: string;
  body: string;
  /** Absolute address. */
  link: string;
  /** ms since the epoch. */
  createdAt: number;
}

/** Where a message goes: an email address, a browser's subscription, or the organization's own address. */
export interface ChannelTarget {
  email?: string;
  subscription?: { endpoint: string; p256dh: string; auth: string };
}

export interface ChannelSender {
  label: string;
  /** What has to be set up first; undefined where the channel is ready. */
  findProblem(orgId: string): string | undefined;
  /**
   * Whether a message may have arrived although the attempt failed with an error, or ended without a result. Left out
   * where receivers recognise a second attempt by the message's id.
   */
  mayHaveArrived?(error: unknown): boolean;
  /** @throws AppError; the signal's reason */
  send(message: OutgoingMessage, target: ChannelTarget, signal: AbortSignal): Promise<void>;
}
