import { createHash } from "node:crypto";
import type { TextFormat } from "./ingest.schema";

export interface PreparedText {
  bytes: Uint8Array;
  /** In hex. */
  sha256: string;
  contentType: string;
}

const CONTENT_TYPES = { text: "text/plain", markdown: "text/markdown" } as const;

export function prepareText(text: string, format: TextFormat): PreparedText {
  const bytes = Buffer.from(text, "utf8");
  return {
    bytes,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    contentType: `${CONTENT_TYPES[format]}; charset=utf-8`,
  };
}
