import type {
  LanguageModelV3Content,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import { z } from "zod";

// What models send beside the text of an answer.

/** Of compatible servers: addresses of sources, and images as base64. */
const Beside = z
  .object({ sources: z.array(z.string()).default([]), images: z.array(z.string()).default([]) })
  .catch({ sources: [], images: [] });

const besideOf = (metadata: SharedV3ProviderMetadata | undefined) =>
  Beside.parse(metadata?.openaiCompatible ?? {});

export interface MadeImage {
  mediaType: string;
  base64: string;
}

/** Images that are kept of a call of the model. */
export const MAX_MADE_IMAGES = 8;

export const IMAGE_LEFT_OUT = "\n\n[The model made an image, which isn't shown here.]";

/** How the base64 of a format begins, for servers that don't name it. */
const BEGINNINGS = { "/9j/": "image/jpeg", R0lGOD: "image/gif", UklGR: "image/webp" } as const;

function toImage(base64: string): MadeImage {
  const known = Object.entries(BEGINNINGS).find(([beginning]) => base64.startsWith(beginning));
  return { mediaType: known?.[1] ?? "image/png", base64 };
}

/** The addresses of sources that come at an answer's end. */
export const sourcesIn = (part: LanguageModelV3StreamPart): string[] =>
  part.type === "finish" ? besideOf(part.providerMetadata).sources : [];

/** The images of an answer's part. */
export function imagesIn(part: LanguageModelV3StreamPart | LanguageModelV3Content): MadeImage[] {
  if (part.type === "finish") return besideOf(part.providerMetadata).images.map(toImage);
  if (part.type !== "file") return [];
  const { mediaType, data } = part;
  return [{ mediaType, base64: typeof data === "string" ? data : Buffer.from(data).toString("base64") }];
}
