import { execFile } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createGunzip, gunzip } from "node:zlib";
import { extract } from "tar-stream";
import { dataDir } from "~/core/env.server";
import {
  installedLanguages,
  LANGUAGE,
  languageFile,
  languagesFolder,
} from "~/work/extraction/recognition/languages.server";
import { MAX_DATA } from "~/work/extraction/recognition/tesseract";
import { assertSupportedNode } from "../scripts/node-version.mjs";

// `npm run install:ocr -- eng deu`: fetches the data of Tesseract's languages into the data folder, from the registry
// that npm uses. The console finds them there at once, and never fetches any itself.

const USAGE =
  "Name languages as Tesseract does: npm run install:ocr -- eng deu. `-- --list` shows the installed ones.";
const VERSION = "1.0.0";
/** The data that are both small and exact, of the package's two. */
const VARIANT = "4.0.0_best_int";

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Has npm fetch and check a package. @returns path of its archive @throws Error naming an unknown language */
async function fetchPackage(name: string, folder: string): Promise<string> {
  const flags = [
    "--loglevel=error",
    "--ignore-scripts",
    "--pack-destination",
    folder,
    "--cache",
    join(folder, "cache"),
  ];
  try {
    await promisify(execFile)("npm", ["pack", `@tesseract.js-data/${name}@${VERSION}`, ...flags], {
      cwd: folder,
      // There it is a script; the name has only letters.
      shell: process.platform === "win32",
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (/\bE404\b/.test(reason)) throw new Error(`There is no data of a language "${name}".`);
    throw new Error(`npm couldn't fetch the data of ${name}: ${reason.trim().slice(-1000)}`);
  }
  return join(folder, `tesseract.js-data-${name}-${VERSION}.tgz`);
}

/** @throws Error if the archive hasn't the file, or not whole */
async function takeData(archive: string, name: string): Promise<Buffer> {
  const path = `package/${VARIANT}/${languageFile(name)}`;
  const entries = createReadStream(archive).pipe(createGunzip()).pipe(extract());
  for await (const entry of entries) {
    if (entry.header.name !== path) {
      entry.resume();
      continue;
    }
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(Buffer.from(piece as Uint8Array));
    const data = Buffer.concat(pieces);
    await promisify(gunzip)(data, { maxOutputLength: MAX_DATA });
    return data;
  }
  throw new Error(`The package of ${name} has no ${path}.`);
}

const BEGINNING = ".installing-";

/** Those of installations that were killed; one that runs takes minutes. */
function removeOldFolders(): void {
  for (const name of readdirSync(languagesFolder())) {
    const folder = join(languagesFolder(), name);
    if (name.startsWith(BEGINNING) && statSync(folder).mtimeMs < Date.now() - 3_600_000)
      rmSync(folder, { recursive: true, force: true });
  }
}

async function install(name: string): Promise<void> {
  const folder = mkdtempSync(join(languagesFolder(), BEGINNING));
  try {
    const data = await takeData(await fetchPackage(name, folder), name);
    const whole = join(folder, languageFile(name));
    await writeFile(whole, data, { mode: 0o600, flush: true });
    renameSync(whole, join(languagesFolder(), languageFile(name)));
    print(`${name}: installed, ${(data.length / 1e6).toFixed(1)} MB`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(names: readonly string[]): Promise<void> {
  if (names.length === 0) throw new Error(USAGE);
  if (names.includes("--list")) {
    print(installedLanguages().join("\n") || `No language is installed in ${languagesFolder()}.`);
    return;
  }
  const wrong = names.filter((name) => !LANGUAGE.test(name));
  if (wrong.length > 0) throw new Error(`Not the name of a language: ${wrong.join(", ")}. ${USAGE}`);
  if (!existsSync(dataDir()))
    throw new Error(`There is no data folder ${dataDir()}. Start the console first.`);
  mkdirSync(languagesFolder(), { recursive: true, mode: 0o700 });
  removeOldFolders();
  for (const name of names) await install(name);
  print("Choose Recognize Text on the page of a document to have it read again.");
}

assertSupportedNode();
process.umask(0o077);
if (existsSync(".env")) process.loadEnvFile(".env");
try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
