import { pack, transferOf } from "~/core/packs";
import { joinPieces } from "~/work/extraction/pieces";
import { ChunkTask } from "~/work/index/chunking/chunk-task";
import { cutChunks } from "~/work/index/chunking/chunker";
import { serve } from "./serve";
import { readPieces } from "./stored-versions";

serve(
  ChunkTask,
  ({ database, versionId, title, chunking }) =>
    pack(cutChunks({ title, ...joinPieces(readPieces(database, versionId)) }, chunking).reverse()),
  transferOf,
);
