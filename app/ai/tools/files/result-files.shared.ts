// Without zod, for the chat screen.

/** A file named in a tool's result. */
export interface ResultFile {
  id: string;
  name: string;
  mediaType: string;
  /** In bytes. */
  size: number;
}

/** A file that isn't stored yet. */
export interface NewFile {
  name: string;
  /** As its sender names it, such as `application/pdf; charset=binary`. Images are known by their bytes alone. */
  type?: string | undefined;
  bytes: Buffer;
}

/** Maximum per result. */
export const MAX_RESULT_FILES = 8;
const NAME_LENGTH = 200;

/** Served locally. */
export const resultFilePath = (id: string): string => `/api/tool-files/${id}`;

export const isShownImage = ({ mediaType }: Pick<ResultFile, "mediaType">): boolean =>
  mediaType.startsWith("image/");

function toResultFile(value: unknown): ResultFile | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, name, mediaType, size } = value as Record<string, unknown>;
  if (typeof id !== "string" || !/^tfl_[A-Za-z0-9_-]{1,60}$/.test(id)) return undefined;
  if (typeof mediaType !== "string" || typeof size !== "number") return undefined;
  return { id, name: String(name ?? "").slice(0, NAME_LENGTH) || "File", mediaType, size };
}

/** Those that a value is, has in a list, or names in `files`. */
export function filesIn(value: unknown): ResultFile[] {
  const named = typeof value === "object" && value !== null && "files" in value ? value.files : value;
  return resultFilesOf({ files: Array.isArray(named) ? named : [named] });
}

export function resultFilesOf(output: unknown): ResultFile[] {
  if (typeof output !== "object" || output === null) return [];
  const { files } = output as { files?: unknown };
  if (!Array.isArray(files)) return [];
  return files
    .slice(0, MAX_RESULT_FILES)
    .map(toResultFile)
    .filter((file) => file !== undefined);
}
