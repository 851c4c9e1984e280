import { AppError } from "~/core/errors";
import { clip, wellFormedValue } from "~/core/well-formed";

const TEXT_LIMIT = 20_000;
const MOST_PARTS = 50;

interface Part {
  type: string;
  text?: unknown;
  mimeType?: unknown;
  data?: unknown;
  uri?: unknown;
  name?: unknown;
  resource?: { uri?: unknown; text?: unknown; mimeType?: unknown; blob?: unknown };
}

const size = (base64: unknown) => `${Math.ceil((String(base64 ?? "").length * 3) / 4 / 1000)} kB`;
const word = (value: unknown, most = 300) => clip(String(value ?? "").toWellFormed(), most);

/** One part of a result for a model: what isn't text is named, with its size. */
function describePart(part: Part): string {
  switch (part.type) {
    case "text":
      return word(part.text, TEXT_LIMIT + 1);
    case "image":
    case "audio":
      return `[${part.type}: ${word(part.mimeType, 60)}, ${size(part.data)}]`;
    case "resource_link":
      return `[resource: ${word(part.name, 100)} ${word(part.uri)}]`;
    case "resource": {
      const { uri, text, mimeType, blob } = part.resource ?? {};
      if (text !== undefined) return `[resource: ${word(uri)}]\n${word(text, TEXT_LIMIT + 1)}`;
      return `[resource: ${word(uri)}, ${word(mimeType, 60)}, ${size(blob)}]`;
    }
    default:
      return `[${word(part.type, 40)}]`;
  }
}

/**
 * A tool's result as JSON within bounds. Its text is data from outside.
 *
 * @throws AppError `unprocessable` with the server's own words where the tool failed
 */
export function toOutput(
  title: string,
  result: { content?: unknown; isError?: unknown; structuredContent?: unknown },
) {
  const parts = (Array.isArray(result.content) ? result.content : []) as Part[];
  const whole = parts.slice(0, MOST_PARTS).map(describePart).filter(Boolean).join("\n\n");
  const text = clip(whole, TEXT_LIMIT);
  if (result.isError === true)
    throw new AppError("unprocessable", `${title}: ${clip(text, 1000) || "the tool failed"}`);
  const structured = wellFormedValue(result.structuredContent);
  const fits = structured !== undefined && JSON.stringify(structured).length <= TEXT_LIMIT;
  return {
    text,
    ...(fits ? { structured } : {}),
    ...(text.length < whole.length || parts.length > MOST_PARTS ? { truncated: true } : {}),
  };
}
