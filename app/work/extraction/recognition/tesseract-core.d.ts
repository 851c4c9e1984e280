/** The parts of Tesseract's C++ API that are used here (https://github.com/naptha/tesseract.js-core). */
declare module "tesseract.js-core/tesseract-core-simd-lstm.js" {
  interface TessBaseAPI {
    /** @returns -1 if the languages' data can't be used */
    Init(folder: null, languages: string, engine: number): number;
    /**
     * Reads `/input` of the file system.
     * @param orientation as EXIF has it: 6 and 8 turn by a quarter, 3 by a half
     * @returns 1 if it isn't a picture
     */
    SetImageFile(orientation: 1 | 3 | 6 | 8, radians: number): number;
    /** @returns -1 on failure */
    Recognize(monitor: null): number;
    GetTSVText(page: number): string;
  }
  interface Core {
    FS: { writeFile(path: string, bytes: Uint8Array): void };
    TessBaseAPI: new () => TessBaseAPI;
  }
  export default function start(options: {
    TesseractProgress(percent: number): void;
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<Core>;
}
