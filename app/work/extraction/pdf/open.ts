import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PDFDocumentLoadingTask } from "pdfjs-dist";

/** Loading pdf.js takes 0.2 s, so it is loaded for the first PDF. */
async function load() {
  // Keeps pdf.js from starting a worker: this is a worker process.
  const worker = await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
  Object.assign(globalThis, { pdfjsWorker: worker });
  return import("pdfjs-dist/legacy/build/pdf.mjs");
}

/** Opens a PDF for reading text: no network, evaluated code, fonts, pictures or log output. */
export async function openPdf(bytes: Uint8Array): Promise<PDFDocumentLoadingTask> {
  const pdfjs = await load();
  const folder = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  return pdfjs.getDocument({
    // A copy, because pdf.js detaches the buffer.
    data: new Uint8Array(bytes),
    verbosity: pdfjs.VerbosityLevel.ERRORS,
    isEvalSupported: false,
    useWorkerFetch: false,
    useSystemFonts: false,
    useWasm: false,
    disableFontFace: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
    // Character maps of Chinese, Japanese and Korean fonts, in the package's folder.
    cMapUrl: `${join(folder, "cmaps")}/`,
    cMapPacked: true,
  });
}
