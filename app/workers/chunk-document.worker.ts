import { detectLanguages } from "~/core/language/detect-language";
import { pack, transferOf } from "~/core/packs";
import { serve } from "~/core/serve";
import { joinPieces, readPieces } from "~/work/extraction/stored-versions.thread";
import { ChunkTask } from "~/work/index/chunking/chunk";
import { cutChunks } from "~/work/index/chunking/chunker";

serve(
  ChunkTask,
  ({ database, versionId, title, chunking }) => {
    const chunks = cutChunks({ title, ...joinPieces(readPieces(database, versionId)) }, chunking);
    const languages = detectLanguages(chunks.map(({ text }) => text));
    return pack(chunks.map((chunk, at) => ({ ...chunk, language: languages[at] })).reverse());
  },
  transferOf,
);
