import { z } from "zod";
import type { Feed } from "~/core/parse-feed";

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** What strangers sent, read in a process with limits of time and memory. */
export const InboundTask = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("feed"),
    bytes: Bytes,
    contentType: z.string(),
    /** Entries; more are left out. */
    limit: z.number().int(),
  }),
  z.object({ kind: z.literal("mail"), bytes: Bytes }),
]);
export type InboundTask = z.infer<typeof InboundTask>;

/** Bounded texts and files of a message. */
export interface ReadMail {
  from: string;
  to: string[];
  cc: string[];
  subject: string;
  /** As the sender's program wrote it. */
  date: string;
  text: string;
  files: { name: string; type: string; bytes: Uint8Array }[];
  /** What wasn't read, in sentences. */
  notes: string[];
}

export type ReadInbound = Feed | ReadMail;
