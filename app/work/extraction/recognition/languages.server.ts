import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { dataDir } from "~/core/env.server";

/** Tesseract's name of a language, such as `deu`, `chi_sim` or `chi_sim_vert`. */
export const LANGUAGE = /^[a-z]{3}(?:_[a-z]{3,4}){0,2}$/;
const ENDING = ".traineddata.gz";

/** Folder of the languages' data, which `npm run install:ocr` makes. */
export const languagesFolder = () => join(dataDir(), "ocr");

export const languageFile = (name: string) => `${name}${ENDING}`;

/** Names of the languages whose text can be recognized, in the order of the alphabet. */
export function installedLanguages(): string[] {
  const folder = languagesFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .filter((name) => LANGUAGE.test(name))
    .sort();
}
