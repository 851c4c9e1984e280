import { Console } from "node:console";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { AppError } from "~/core/errors";
import { pack } from "~/core/packs";
import { noteRefusedMemory } from "~/core/serve";
import { readDocument, readFileText } from "./index";
import { takeInnerFiles } from "./inner-files";
import type { Bitmap, RenderOptions } from "./pdf/render-page";
import type {
  FileTask,
  FileText,
  InnerFiles,
  InnerTask,
  PackedVersion,
  PagePicture,
  PageTask,
  RecognitionTask,
  VersionTask,
} from "./read-task";
import { cutPieces, readBytes, readRecognizedPages } from "./stored-versions.thread";

async function readVersion({ database, versionId, ...file }: VersionTask): Promise<PackedVersion> {
  const recognized = readRecognizedPages(database, versionId);
  const document = await readDocument({ bytes: readBytes(database, versionId), recognized, ...file });
  return {
    title: document.title,
    facts: document.facts,
    textHash: createHash("sha256").update(document.text).digest("hex"),
    textLength: document.text.length,
    pieces: pack(cutPieces(document)),
  };
}

/** Files of an answer together, in bytes: the main thread copies it in one turn. */
const ANSWER_BYTES = 4_000_000;

async function takeFiles({
  database,
  versionId,
  name,
  contentType,
  from,
  offset,
}: InnerTask): Promise<InnerFiles> {
  const file = { bytes: readBytes(database, versionId), name, contentType };
  const files: InnerFiles["files"] = [];
  let [number, sent] = [0, 0];
  for await (const inner of takeInnerFiles(file)) {
    if (number++ < from) continue;
    const size = inner.bytes?.length ?? 0;
    sent += size - offset;
    if (files.length > 0 && sent > ANSWER_BYTES) return { files, next: number - 1 };
    const bytes = inner.bytes && { bytes: inner.bytes.subarray(offset, offset + ANSWER_BYTES) };
    files.push({ ...inner, ...bytes, size });
    if (offset > 0) break;
  }
  return { files, next: null };
}

async function readFile({ path, bytes, maxLength, ...file }: FileTask): Promise<FileText> {
  const content = path === undefined ? (bytes ?? new Uint8Array()) : readFileSync(path);
  const read = await readFileText({ bytes: content, ...file });
  const { length } = read.text;
  if (length <= maxLength) return read;
  const [has, max] = [length, maxLength].map((count) => count.toLocaleString("en-US"));
  throw new AppError("too_large", `This file has ${has} characters of text. At most ${max} are allowed.`);
}

/** Libraries' output about hostile documents isn't logged, but shows refused memory. */
export function silenceLibraries(): void {
  const silent = new Writable({
    write(text, _, done) {
      noteRefusedMemory(String(text));
      done();
    },
  });
  globalThis.console = new Console(silent);
}

/** In pixels: sharp in a panel on a dense screen. */
const PICTURE_WIDTH = 1200;

/** At 200 dots per inch: Tesseract reads letters of 20 to 40 pixels best. */
const FOR_RECOGNITION: RenderOptions = { colors: "gray", size: { dpi: 200 } };

async function renderStored(
  { database, versionId, page }: PageTask,
  options: RenderOptions,
): Promise<Bitmap> {
  const [{ Pdf }, { renderPage }] = await Promise.all([import("./pdf/pdfium"), import("./pdf/render-page")]);
  return renderPage(await Pdf.open(readBytes(database, versionId)), page, options);
}

async function drawPage(task: PageTask): Promise<PagePicture> {
  const { toPng } = await import("./pdf/png");
  if (task.isForRecognition) return withScan(task, toPng);
  return toPng(await renderStored(task, { colors: "rgba", size: { width: PICTURE_WIDTH } }));
}

async function recognizePage({ folder, names, ...task }: RecognitionTask): Promise<string> {
  const { recognizeBitmap } = await import("./recognition/tesseract");
  return withScan(task, (bitmap) => recognizeBitmap(bitmap, { folder, names }));
}

/** @throws AppError `unavailable` if the page itself can't be recognized */
async function withScan<T>(task: PageTask, use: (bitmap: Bitmap) => T | Promise<T>): Promise<T> {
  try {
    return await use(await renderStored(task, FOR_RECOGNITION));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("unavailable", "This page can't be recognized.", { cause });
  }
}

type ReadOutput = PackedVersion | FileText | InnerFiles | PagePicture | string;

export function runReadTask(
  task: FileTask | InnerTask | PageTask | RecognitionTask | VersionTask,
): Promise<ReadOutput> {
  if ("maxLength" in task) return readFile(task);
  if ("folder" in task) return recognizePage(task);
  if ("page" in task) return drawPage(task);
  return "from" in task ? takeFiles(task) : readVersion(task);
}
