import { Console } from "node:console";
import { createHash } from "node:crypto";
import { Writable } from "node:stream";
import { pack, transferOf } from "~/core/packs";
import { readDocument } from "~/features/knowledge/extraction";
import { cutPieces } from "~/features/knowledge/extraction/pieces";
import { type PackedVersion, ReadTask } from "~/features/knowledge/extraction/read-task";
import { serve } from "./serve";
import { noteRefusedMemory } from "./serve-process";
import { readBytes } from "./stored-versions";

// What libraries print about a hostile or damaged document belongs in no log. pdf.js reports here what it continues
// without.
const silent = new Writable({
  write(text, _, done) {
    noteRefusedMemory(String(text));
    done();
  },
});
globalThis.console = new Console(silent);

async function read({ database, versionId, name, contentType }: ReadTask): Promise<PackedVersion> {
  const document = await readDocument({ bytes: readBytes(database, versionId), name, contentType });
  return {
    title: document.title,
    facts: document.facts,
    textHash: createHash("sha256").update(document.text).digest("hex"),
    textLength: document.text.length,
    pieces: pack(cutPieces(document)),
  };
}

serve(ReadTask, read, ({ pieces }) => transferOf(pieces));
