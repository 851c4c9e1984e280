import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const TEXT = /\.(?:js|css|svg|json)$/;
/** Bytes below which compression gains too little. */
const MIN_BYTES = 256;

/** Compresses text files next to the originals. */
export async function compressAssets(folder) {
  for (const name of await readdir(folder)) {
    if (!TEXT.test(name)) continue;
    const content = await readFile(join(folder, name));
    if (content.length < MIN_BYTES) continue;
    const params = {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    const [small, usual] = await Promise.all([brotli(content, { params }), deflate(content, { level: 9 })]);
    await writeFile(join(folder, `${name}.br`), small);
    await writeFile(join(folder, `${name}.gz`), usual);
  }
}
