import { z } from "zod";
import { decodeText } from "~/core/charset";
import { type Feed, parseFeed } from "~/core/parse-feed";

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** What strangers sent, read in a process with limits of time and memory. */
export const InboundTask = z.object({
  kind: z.literal("feed"),
  bytes: Bytes,
  contentType: z.string(),
  /** Entries; more are left out. */
  limit: z.number().int(),
});
export type InboundTask = z.infer<typeof InboundTask>;

/** @throws AppError `unprocessable` for what isn't a feed */
export function parseInbound({ bytes, contentType, limit }: InboundTask): Feed {
  return parseFeed(decodeText(bytes, contentType), limit);
}
