import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError } from "~/core/errors";
import { type Bitmap, toPgm } from "../pdf/render-page";
import { type RecognizedText, readRecognized } from "./recognized-text";

/** Data of languages, as the console has installed them. */
export interface Languages {
  folder: string;
  /** Names of their files without the ending, such as `deu`. */
  names: readonly string[];
}

/** The neural engine, which the installed data are for. */
const LSTM = 1;
/** Unpacked, in bytes: the largest that Tesseract has is Japanese with 36 MB. */
export const MAX_DATA = 100_000_000;
/** As EXIF numbers them: upright, quarter turns, upside down. */
const ORIENTATIONS = [1, 6, 8, 3] as const;
/** Mean confidence from which a page is upright. Turned text is read with 40 to 60. */
const UPRIGHT = 70;

async function startTesseract({ folder, names }: Languages) {
  const unusable = (cause?: unknown) =>
    new AppError(
      "not_found",
      `The installed data of ${names.join(", ")} can't be used. Run npm run install:ocr again.`,
      { cause },
    );
  const { default: start } = await import("tesseract.js-core/tesseract-core-simd-lstm.js");
  const core = await start({ TesseractProgress() {}, print() {}, printErr() {} });
  for (const name of names) {
    const data = await readFile(join(folder, `${name}.traineddata.gz`))
      .then((packed) => promisify(gunzip)(packed, { maxOutputLength: MAX_DATA }))
      .catch((cause) => Promise.reject(unusable(cause)));
    core.FS.writeFile(`${name}.traineddata`, data);
  }
  const api = new core.TessBaseAPI();
  if (api.Init(null, names.join("+"), LSTM) === -1) throw unusable();
  return { core, api };
}

/**
 * Reads the text of a page's picture, also of one that lies on its side or upside down. The instance of Tesseract is
 * its own and gets no picture but what we drew: a hostile page reaches no other one, and no decoder.
 * @throws AppError `not_found` if the languages' data can't be used, Error if Tesseract can't go on
 */
export async function recognizeBitmap(bitmap: Bitmap, languages: Languages): Promise<string> {
  const { core, api } = await startTesseract(languages);
  core.FS.writeFile("/input", toPgm(bitmap));
  let best: RecognizedText | undefined;
  for (const orientation of ORIENTATIONS) {
    if (api.SetImageFile(orientation, 0) !== 0 || api.Recognize(null) !== 0)
      throw new Error("Tesseract can't read a page's picture");
    const read = readRecognized(api.GetTSVText(0));
    if (!best || read.confidence > best.confidence) best = read;
    // What lies otherwise has words, if wrong ones.
    if (best.confidence >= UPRIGHT || read.confidence === 0) break;
  }
  return best?.text ?? "";
}
