import { Console } from "node:console";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { AppError } from "~/core/errors";
import { pack, transferOf } from "~/core/packs";
import { readDocument, readFileText } from "~/work/extraction/index";
import { cutPieces } from "~/work/extraction/pieces";
import {
  type FileTask,
  type FileText,
  type PackedVersion,
  ReadTask,
  type VersionTask,
} from "~/work/extraction/read-task";
import { serve } from "./serve";
import { noteRefusedMemory } from "./serve-process";
import { readBytes } from "./stored-versions";

// Libraries' output about hostile documents isn't logged, but shows refused memory.
const silent = new Writable({
  write(text, _, done) {
    noteRefusedMemory(String(text));
    done();
  },
});
globalThis.console = new Console(silent);

async function readVersion({ database, versionId, name, contentType }: VersionTask): Promise<PackedVersion> {
  const document = await readDocument({ bytes: readBytes(database, versionId), name, contentType });
  return {
    title: document.title,
    facts: document.facts,
    textHash: createHash("sha256").update(document.text).digest("hex"),
    textLength: document.text.length,
    pieces: pack(cutPieces(document)),
  };
}

async function readFile({ path, maxLength, ...file }: FileTask): Promise<FileText> {
  const read = await readFileText({ bytes: readFileSync(path), ...file });
  const { length } = read.text;
  if (length <= maxLength) return read;
  const [has, max] = [length, maxLength].map((count) => count.toLocaleString("en-US"));
  throw new AppError("too_large", `This file has ${has} characters of text. At most ${max} are allowed.`);
}

serve(
  ReadTask,
  (task): Promise<PackedVersion | FileText> => ("path" in task ? readFile(task) : readVersion(task)),
  (output) => ("pieces" in output ? transferOf(output.pieces) : []),
);
