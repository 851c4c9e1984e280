// What server and screen share; without zod, to keep the bundle small.

import { HOUR } from "~/core/durations";

export function processedSentence(title: string, chunks: number, hasEmbeddings: boolean): string {
  return `Successfully processed "${title}" into ${chunks} chunks${hasEmbeddings ? " with embeddings" : ""}`;
}

/** Refresh intervals (ms); 0 for never. A month is 30 days. */
export const SCHEDULES = [
  { name: "off", every: 0, label: "Never" },
  { name: "hourly", every: HOUR, label: "Every hour" },
  { name: "daily", every: 24 * HOUR, label: "Every day" },
  { name: "weekly", every: 7 * 24 * HOUR, label: "Every week" },
  { name: "monthly", every: 30 * 24 * HOUR, label: "Every 30 days" },
] as const;

/** In UTF-16 units; longer texts are uploaded as a file. */
export const MAX_TEXT = 200_000;
export const TEXT_TOO_LONG = "Use at most 200,000 characters, or upload the text as a file";

/** Maximum body size (bytes): 3 per character in a multipart form, up to 6 in escaped JSON. */
export const TEXT_BODY_BYTES = 2 * 1024 * 1024;
