/**
 * Quality of retrieval, in one process: `npm run bench:rag -- quality languages`. Languages are those of
 * ../shared/samples/xquad, each alone and all in one index, beside plain FTS5 over the same passages.
 */
import { rmSync } from "node:fs";
import makeTemplate from "../tests/setup/template";
import { TEMPLATE } from "../tests/support/database";
import { measureEnglish, measureLanguages } from "./rag-languages";

const [what, which, ...languages] = process.argv.slice(2);
if (what !== "quality" || which !== "languages") {
  console.error("Usage: npm run bench:rag -- quality languages [de fr …]");
  process.exit(2);
}
await makeTemplate();
try {
  console.table(await measureEnglish());
  console.table(await measureLanguages(languages));
} finally {
  rmSync(TEMPLATE, { force: true });
}
