import { z } from "zod";
import { CHANNELS } from "~/platform/settings/events.shared";

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
  state: z.enum(DELIVERY_STATES),
  attempts: z.number().int(),
  error: z.string().nullable().describe("Of the last attempt"),
  createdAt: z.iso.datetime(),
});
export type Delivery = z.infer<typeof Delivery>;
