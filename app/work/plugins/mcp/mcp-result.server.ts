import { MAX_RESULT_FILES, type ResultFile } from "~/ai/tools/files/result-files.shared";
import { AppError } from "~/core/errors";
import { clip, wellFormedValue } from "~/core/well-formed";

const TEXT_LIMIT = 20_000;
const MAX_PARTS = 50;

interface Part {
  type: string;
  text?: unknown;
  mimeType?: unknown;
  data?: unknown;
  uri?: unknown;
  name?: unknown;
  resource?: { uri?: unknown; text?: unknown; mimeType?: unknown; blob?: unknown };
}

const sizeOf = (base64: unknown) => `${Math.ceil((String(base64 ?? "").length * 3) / 4 / 1000)} kB`;
const clipText = (value: unknown, max = 300) => clip(String(value ?? "").toWellFormed(), max);

type KeepFile = (file: { name: string; bytes: Buffer }) => Promise<ResultFile | undefined>;

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

function fileOf({ type, data, mimeType, resource }: Part): { name: string; bytes: Buffer } | undefined {
  const base64 = type === "resource" ? resource?.blob : data;
  if (typeof base64 !== "string" || !BASE64.test(base64)) return undefined;
  const uri = clipText(resource?.uri).split(/[?#]/, 1)[0] ?? "";
  const kind = clipText(mimeType ?? resource?.mimeType, 60).split("/")[0] || "file";
  return { name: uri.split("/").at(-1) || kind, bytes: Buffer.from(base64, "base64") };
}

/** Omitted files are named in the text. */
async function keepFiles(parts: readonly Part[], keep: KeepFile): Promise<ResultFile[]> {
  const files: ResultFile[] = [];
  for (const part of parts) {
    const file = files.length < MAX_RESULT_FILES ? fileOf(part) : undefined;
    const stored = file && (await keep(file));
    if (stored) files.push(stored);
  }
  return files;
}

function describePart(part: Part): string {
  switch (part.type) {
    case "text":
      return clipText(part.text, TEXT_LIMIT + 1);
    case "image":
    case "audio":
      return `[${part.type}: ${clipText(part.mimeType, 60)}, ${sizeOf(part.data)}]`;
    case "resource_link":
      return `[resource: ${clipText(part.name, 100)} ${clipText(part.uri)}]`;
    case "resource": {
      const { uri, text, mimeType, blob } = part.resource ?? {};
      if (text !== undefined) return `[resource: ${clipText(uri)}]\n${clipText(text, TEXT_LIMIT + 1)}`;
      return `[resource: ${clipText(uri)}, ${clipText(mimeType, 60)}, ${sizeOf(blob)}]`;
    }
    default:
      return `[${clipText(part.type, 40)}]`;
  }
}

/**
 * Bounded JSON; files are stored, never linked.
 * @throws AppError `unprocessable` with the server's message if the tool failed
 */
export async function toOutput(
  title: string,
  result: { content?: unknown; isError?: unknown; structuredContent?: unknown },
  keepFile: KeepFile,
) {
  const parts = (Array.isArray(result.content) ? result.content : []) as Part[];
  const whole = parts.slice(0, MAX_PARTS).map(describePart).filter(Boolean).join("\n\n");
  const text = clip(whole, TEXT_LIMIT);
  if (result.isError === true)
    throw new AppError("unprocessable", `${title}: ${clip(text, 1000) || "the tool failed"}`);
  const structured = wellFormedValue(result.structuredContent);
  const files = await keepFiles(parts.slice(0, MAX_PARTS), keepFile);
  const fits = structured !== undefined && JSON.stringify(structured).length <= TEXT_LIMIT;
  return {
    text,
    ...(fits ? { structured } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(text.length < whole.length || parts.length > MAX_PARTS ? { truncated: true } : {}),
  };
}
