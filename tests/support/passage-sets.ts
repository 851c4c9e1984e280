import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Passages of one language, and questions with the number of the passage that answers each. */
export interface PassageSet {
  language: string;
  passages: string[];
  questions: [text: string, passage: number][];
}

/** The XQuAD question sets; see the README there. */
const FOLDER = resolve("../shared/samples/xquad");
const LANGUAGES = "en de es ro ru el tr ar hi vi th zh".split(" ");

const hasXquad = existsSync(resolve(FOLDER, "en.json"));

const read = <T>(file: string) => JSON.parse(readFileSync(file, "utf8")) as T;

/** Twenty passages of an office's rules in French, Japanese and Korean, each with a question in other words. */
export const readOfficePassages = () => read<PassageSet[]>("tests/fixtures/office-passages.json");

/** XQuAD's sets where they are, and the office's. @param languages all if empty */
export function readPassageSets(languages: readonly string[] = []): PassageSet[] {
  const xquad = hasXquad ? LANGUAGES.map((name) => read<PassageSet>(resolve(FOLDER, `${name}.json`))) : [];
  if (!hasXquad) console.warn("Skipped twelve languages: ../shared/samples/xquad is absent.");
  const sets = [...xquad, ...readOfficePassages()];
  return languages.length === 0 ? sets : sets.filter(({ language }) => languages.includes(language));
}
