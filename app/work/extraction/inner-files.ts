import { createHash } from "node:crypto";
import { AppError } from "~/core/errors";
import { cleanName, MAX_RAW_NAME_LENGTH } from "~/platform/catalogue/names";
import type { DocumentFormat, InnerFile, SourceFile } from "./format";
import { MAX_INNER_FILES } from "./formats/zip.format";
import { MAX_FILE_BYTES, refusalOfFile } from "./formats.shared";
import { formatOf } from "./index";

/** Archives within archives, messages within messages. */
const MAX_DEPTH = 4;
/** Of all files within one, in bytes. */
const MAX_BYTES = 200_000_000;
const SPENT = `it and what follows are beyond ${MAX_INNER_FILES.toLocaleString("en")} files or ${MAX_BYTES / 1_000_000} MB`;
/** In characters. */
const MAX_PATH = 400;

/** What operating systems add to folders. */
const SYSTEM_PATH = /(?:^|\/)(?:(?:__MACOSX|\.[^./][^/]*)(?:\/|$)|(?:thumbs\.db|desktop\.ini)$|~\$)/i;

export interface TakenFile {
  path: string;
  contentType: string;
  /** Path of the message that it is attached to, if that is itself within the file. */
  within?: string;
  bytes?: Uint8Array;
  /** Of all its bytes, in hex. */
  sha256?: string;
  /** Why it can't become a document, as a part of a sentence. */
  problem?: string;
}

/** What all files within one may have together. */
class Budget {
  #files = 0;
  #bytes = 0;

  get isSpent(): boolean {
    return this.#files > MAX_INNER_FILES || this.#bytes > MAX_BYTES;
  }

  take(bytes: Uint8Array): void {
    this.#files += 1;
    this.#bytes += bytes.length;
  }
}

/** A path without what leads out of a folder or can't be shown. */
function cleanPath(raw: string): string {
  const parts = raw
    .slice(0, MAX_RAW_NAME_LENGTH)
    .split(/[/\\]/)
    .map(cleanName)
    .filter((part) => !/^(?:\.*|[a-z]:)$/i.test(part));
  while (parts.length > 1 && parts.join("/").length > MAX_PATH) parts.shift();
  return parts.join("/") || "Unnamed file";
}

const asProblem = (message: string): string =>
  message.replace(/\.( |$).*/s, "").replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

function problemOf({ bytes, problem }: InnerFile, path: string, type: string): string | undefined {
  if (problem) return problem;
  const refusal = refusalOfFile({ name: path, type });
  if (refusal) return asProblem(refusal);
  if (bytes.length === 0) return "it is empty";
  return bytes.length > MAX_FILE_BYTES ? "it is larger than 50 MB" : undefined;
}

async function formatOrProblem(file: SourceFile): Promise<DocumentFormat | string> {
  try {
    return await formatOf(file);
  } catch (error) {
    if (error instanceof AppError) return asProblem(error.message);
    throw error;
  }
}

async function* filesWithin(
  format: DocumentFormat,
  file: SourceFile,
  where: { prefix: string; depth: number; within?: string },
  budget: Budget,
): AsyncGenerator<TakenFile> {
  const { prefix, depth, within } = where;
  const here = within === undefined ? {} : { within };
  for await (const inner of (await format.innerFiles?.(file)) ?? []) {
    const path = cleanPath(prefix + inner.name);
    if (SYSTEM_PATH.test(inner.name.replaceAll("\\", "/"))) continue;
    const contentType = inner.contentType.slice(0, 200);
    budget.take(inner.bytes);
    if (budget.isSpent) {
      yield { path, contentType, ...here, problem: SPENT };
      return;
    }
    const refused = problemOf(inner, path, contentType);
    const source = { name: path, contentType, bytes: inner.bytes };
    const innerFormat = refused ?? (await formatOrProblem(source));
    if (typeof innerFormat === "string") {
      yield { path, contentType, ...here, problem: innerFormat };
      continue;
    }
    const isTooDeep = innerFormat.innerFiles !== undefined && depth >= MAX_DEPTH;
    if (innerFormat.isFolder && isTooDeep) {
      yield { path, contentType, ...here, problem: "it is nested too deeply" };
      continue;
    }
    if (!innerFormat.isFolder) {
      const sha256 = createHash("sha256").update(inner.bytes).digest("hex");
      yield { path, contentType, ...here, bytes: inner.bytes, sha256 };
    }
    if (innerFormat.innerFiles && !isTooDeep)
      yield* filesOfInner(
        innerFormat,
        source,
        { prefix: `${path}/`, depth: depth + 1, ...(innerFormat.isFolder ? here : { within: path }) },
        budget,
      );
    if (budget.isSpent) return;
  }
}

/** A damaged inner archive is a problem of its own; what it yielded before stays. */
async function* filesOfInner(...[format, file, where, budget]: Parameters<typeof filesWithin>) {
  try {
    yield* filesWithin(format, file, where, budget);
  } catch (error) {
    const problem = error instanceof AppError ? asProblem(error.message) : "it is damaged";
    // A message that can't be read is a document that says so.
    if (format.isFolder) yield { path: file.name, contentType: file.contentType, problem };
  }
}

/**
 * The files within a message or an archive, those within them included, in the order of the file.
 * @throws AppError `invalid` with a message for a person
 */
export async function* takeInnerFiles(file: SourceFile): AsyncGenerator<TakenFile> {
  const format = await formatOf(file);
  try {
    yield* filesWithin(format, file, { prefix: "", depth: 1 }, new Budget());
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid", `This ${format.label} file is damaged. Repair it or export it again.`, {
      cause,
    });
  }
}
