import { pack, transferOf } from "~/core/packs";
import { serve } from "~/core/serve";
import { joinPieces, readPieces } from "~/work/extraction/stored-versions.thread";
import { ChunkTask } from "~/work/index/chunking/chunk";
import { cutChunks } from "~/work/index/chunking/chunker";

serve(
  ChunkTask,
  ({ database, versionId, title, chunking }) =>
    pack(cutChunks({ title, ...joinPieces(readPieces(database, versionId)) }, chunking).reverse()),
  transferOf,
);
