import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { AppError } from "~/core/errors";

/** PDFium's C functions that are used here (https://pdfium.googlesource.com/pdfium/+/main/public/). */
type Name =
  | "malloc"
  | "free"
  | "FPDF_LoadMemDocument"
  | "FPDF_GetLastError"
  | "FPDF_GetPageCount"
  | "FPDF_GetMetaText"
  | "FPDF_GetFormType"
  | "FPDF_LoadPage"
  | "FPDF_ClosePage"
  | "FPDF_GetPageWidthF"
  | "FPDF_GetPageHeightF"
  | "FPDF_GetPageBoundingBox"
  | "FPDF_RenderPageBitmap"
  | "FPDF_FFLDraw"
  | "FPDFBitmap_CreateEx"
  | "FPDFBitmap_FillRect"
  | "FPDFBitmap_GetBuffer"
  | "FPDFBitmap_GetStride"
  | "FPDFBitmap_Destroy"
  | "FPDFDOC_InitFormFillEnvironment"
  | "FORM_OnAfterLoadPage"
  | "FORM_OnBeforeClosePage"
  | "FPDFDoc_GetAttachmentCount"
  | "FPDFDoc_GetAttachment"
  | "FPDFAttachment_GetName"
  | "FPDFBookmark_GetFirstChild"
  | "FPDFBookmark_GetNextSibling"
  | "FPDFBookmark_GetTitle"
  | "FPDFPage_CountObjects"
  | "FPDFPage_GetObject"
  | "FPDFPageObj_GetType"
  | "FPDFPageObj_GetBounds"
  | "FPDFPageObj_Transform"
  | "FPDFText_LoadPage"
  | "FPDFText_ClosePage"
  | "FPDFText_CountChars"
  | "FPDFText_GetUnicode"
  | "FPDFText_IsGenerated"
  | "FPDFText_IsHyphen"
  | "FPDFText_HasUnicodeMapError"
  | "FPDFText_GetTextObject"
  | "FPDFText_GetFontSize"
  | "FPDFText_GetMatrix"
  | "FPDFText_GetCharOrigin"
  | "FPDFText_GetLooseCharBox"
  | "FPDFTextObj_GetFont"
  | "FPDFFont_GetBaseFontName"
  | "FPDFPage_GetAnnotCount"
  | "FPDFPage_GetAnnot"
  | "FPDFPage_CloseAnnot"
  | "FPDFAnnot_GetSubtype"
  | "FPDFAnnot_GetFlags"
  | "FPDFAnnot_GetRect"
  | "FPDFAnnot_GetStringValue"
  | "FPDFAnnot_GetFormFieldType"
  | "FPDFAnnot_GetFormFieldFlags"
  | "FPDFAnnot_GetFormFieldName"
  | "FPDFAnnot_GetFormFieldAlternateName"
  | "FPDFAnnot_GetFormFieldValue"
  | "FPDFAnnot_IsChecked"
  | "FPDFAnnot_GetOptionCount"
  | "FPDFAnnot_GetOptionLabel"
  | "FPDFAnnot_IsOptionSelected";

type Functions = Record<Name, (...values: number[]) => number> & { memory: WebAssembly.Memory };

const WASM = "@hyzyla/pdfium/pdfium.wasm";
let compiled: Promise<WebAssembly.Module> | undefined;

/** An instance of its own: a hostile document reaches no other one, and all its memory is collected with it. */
async function startPdfium(): Promise<Functions> {
  compiled ??= readFile(createRequire(import.meta.url).resolve(WASM)).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  const [module, { PDFiumLibrary }] = await Promise.all([compiled, import("@hyzyla/pdfium")]);
  const library = await PDFiumLibrary.init({
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(module, imports);
      // The package's types name the wrong argument.
      Reflect.apply(done, undefined, [instance]);
      return instance.exports;
    },
  });
  // The package wraps neither characters nor annotations; beneath it are all of PDFium's functions.
  const { wasmExports } = Reflect.get(library, "module") as { wasmExports: Functions };
  return wasmExports;
}

/** In bytes. */
const MAX_STRING = 4_000_000;
/** A structure of up to 8 numbers. */
const SCRATCH_BYTES = 64;
const FORM_INFO_BYTES = 256;
const PASSWORD_NEEDED = 4;
const UNKNOWN_SECURITY = 5;

const encrypted = (cause?: string) =>
  new AppError("invalid", "This PDF is password-protected. Remove the password and try again.", { cause });

/** A document in an instance of PDFium. */
export class Pdf {
  readonly call: Functions;
  readonly #document: number;
  readonly #bytes: number;
  readonly #scratch: number;
  #view: DataView | undefined;
  /** PDFium's handle of the form. */
  readonly form: number;

  private constructor(call: Functions, bytes: Uint8Array) {
    this.call = call;
    this.#bytes = this.#allocate(bytes.length);
    this.#memory.set(bytes, this.#bytes);
    this.#scratch = this.#allocate(SCRATCH_BYTES);
    this.#document = call.FPDF_LoadMemDocument(this.#bytes, bytes.length, 0);
    if (this.#document === 0) {
      const code = call.FPDF_GetLastError();
      if (code === PASSWORD_NEEDED || code === UNKNOWN_SECURITY) throw encrypted(`PDFium's error ${code}`);
      throw new Error(`PDFium can't open this document (error ${code})`);
    }
    const info = this.#allocate(FORM_INFO_BYTES);
    this.#memory.fill(0, info, info + FORM_INFO_BYTES);
    new DataView(call.memory.buffer).setUint32(info, 2, true);
    this.form = call.FPDFDOC_InitFormFillEnvironment(this.#document, info);
  }

  /** @throws AppError `invalid` if it has a password, Error if it is damaged */
  static async open(bytes: Uint8Array): Promise<Pdf> {
    return new Pdf(await startPdfium(), bytes);
  }

  get pageCount(): number {
    return this.call.FPDF_GetPageCount(this.#document);
  }

  /** Whether Adobe's XFA draws its pages: others see a page that says so. */
  get isXfa(): boolean {
    return this.call.FPDF_GetFormType(this.#document) === 2;
  }

  /**
   * @param number from 1
   * @returns undefined if the page is damaged
   */
  withPage<Result>(number: number, use: (page: number) => Result): Result | undefined {
    const page = this.call.FPDF_LoadPage(this.#document, number - 1);
    if (page === 0) return undefined;
    // Gives the page's fields their state.
    this.call.FORM_OnAfterLoadPage(page, this.form);
    const result = use(page);
    this.call.FORM_OnBeforeClosePage(page, this.form);
    this.call.FPDF_ClosePage(page);
    return result;
  }

  /** @param name such as `Title` */
  metadata(name: string): string {
    const key = this.#put(name);
    const text = this.readText((buffer, size) =>
      this.call.FPDF_GetMetaText(this.#document, key, buffer, size),
    );
    this.call.free(key);
    return text;
  }

  attachmentNames(max: number): { names: string[]; count: number } {
    const count = Math.max(0, this.call.FPDFDoc_GetAttachmentCount(this.#document));
    const names = Array.from({ length: Math.min(count, max) }, (_, at) => {
      const attachment = this.call.FPDFDoc_GetAttachment(this.#document, at);
      return this.readText((buffer, size) => this.call.FPDFAttachment_GetName(attachment, buffer, size));
    });
    return { names, count };
  }

  /** @param parent 0 for the first level */
  *bookmarks(parent: number): Generator<{ mark: number; title: string }> {
    const { call } = this;
    let mark = call.FPDFBookmark_GetFirstChild(this.#document, parent);
    for (; mark !== 0; mark = call.FPDFBookmark_GetNextSibling(this.#document, mark))
      yield { mark, title: this.readText((buffer, size) => call.FPDFBookmark_GetTitle(mark, buffer, size)) };
  }

  /** A string of an annotation's dictionary. */
  annotationText(annotation: number, name: string): string {
    const key = this.#put(name);
    const text = this.readText((buffer, size) =>
      this.call.FPDFAnnot_GetStringValue(annotation, key, buffer, size),
    );
    this.call.free(key);
    return text;
  }

  /** Reads UTF-16, whose size in bytes PDFium returns. */
  readText(read: (buffer: number, size: number) => number): string {
    return this.#readString(read, "utf-16le", 2);
  }

  readLatin(read: (buffer: number, size: number) => number): string {
    return this.#readString(read, "latin1", 1);
  }

  /** Numbers that PDFium writes to addresses, which are `width` bytes apart. */
  readNumbers(count: number, width: 4 | 8, write: (address: number) => void): number[] {
    write(this.#scratch);
    const { buffer } = this.call.memory;
    if (this.#view?.buffer !== buffer) this.#view = new DataView(buffer, this.#scratch, SCRATCH_BYTES);
    const numbers: number[] = [];
    for (let at = 0; at < count; at++)
      numbers.push(width === 4 ? this.#view.getFloat32(at * 4, true) : this.#view.getFloat64(at * 8, true));
    return numbers;
  }

  get #memory(): Uint8Array {
    // Its buffer is another one once it has grown.
    return new Uint8Array(this.call.memory.buffer);
  }

  #allocate(bytes: number): number {
    const address = this.call.malloc(Math.max(1, bytes));
    if (address === 0) throw new RangeError("Array buffer allocation failed");
    return address;
  }

  #put(text: string): number {
    const bytes = Buffer.from(`${text}\0`, "latin1");
    const address = this.#allocate(bytes.length);
    this.#memory.set(bytes, address);
    return address;
  }

  #readString(
    read: (buffer: number, size: number) => number,
    encoding: "utf-16le" | "latin1",
    end: number,
  ): string {
    const size = read(0, 0);
    if (size <= end || size > MAX_STRING) return "";
    const buffer = this.#allocate(size);
    read(buffer, size);
    const text = new TextDecoder(encoding).decode(this.#memory.slice(buffer, buffer + size - end));
    this.call.free(buffer);
    return text;
  }
}
