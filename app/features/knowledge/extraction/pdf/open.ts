import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { PDFDocumentLoadingTask } from "pdfjs-dist";

/** pdf.js, loaded when the first PDF comes: it takes a fifth of a second. */
async function load() {
  // Without this it looks for its worker's file and starts one: we are in a thread of our own already.
  const worker = await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
  Object.assign(globalThis, { pdfjsWorker: worker });
  return import("pdfjs-dist/legacy/build/pdf.mjs");
}

/** Opens a PDF to read its text: no network, no evaluated code, no fonts, no pictures, nothing printed. */
export async function openPdf(bytes: Uint8Array): Promise<PDFDocumentLoadingTask> {
  const pdfjs = await load();
  const folder = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  return pdfjs.getDocument({
    // A copy: pdf.js takes the buffer over.
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
    // What the characters of Chinese, Japanese and Korean fonts are; read from the package's folder.
    cMapUrl: `${join(folder, "cmaps")}/`,
    cMapPacked: true,
  });
}
