import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);
const TEXT = /\.(?:js|css|svg|json)$/;
/** Bytes below which compression gains too little. */
const MIN_BYTES = 256;

/** Compresses one file next to the original. */
async function compressAsset(file) {
  const content = await readFile(file);
  if (content.length < MIN_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const [small, usual] = await Promise.all([brotli(content, { params }), deflate(content, { level: 9 })]);
  await Promise.all([writeFile(`${file}.br`, small), writeFile(`${file}.gz`, usual)]);
}

/** Compresses text files next to the originals, as many at once as there are threads. */
export async function compressAssets(folder) {
  const names = (await readdir(folder)).filter((name) => TEXT.test(name));
  await Promise.all(names.map((name) => compressAsset(join(folder, name))));
}
