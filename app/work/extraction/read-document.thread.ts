import { Console } from "node:console";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import { AppError } from "~/core/errors";
import { pack } from "~/core/packs";
import { noteRefusedMemory } from "~/core/serve";
import { readDocument, readFileText } from "./index";
import type { FileTask, FileText, PackedVersion, VersionTask } from "./read-task";
import { cutPieces, readBytes } from "./stored-versions.thread";

async function readVersion({ database, versionId, ...file }: VersionTask): Promise<PackedVersion> {
  const document = await readDocument({ bytes: readBytes(database, versionId), ...file });
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

/** Libraries' output about hostile documents isn't logged, but shows refused memory. */
export function silenceLibraries(): void {
  const silent = new Writable({
    write(text, _, done) {
      noteRefusedMemory(String(text));
      done();
    },
  });
  globalThis.console = new Console(silent);
}

export function runReadTask(task: FileTask | VersionTask): Promise<PackedVersion | FileText> {
  return "path" in task ? readFile(task) : readVersion(task);
}
