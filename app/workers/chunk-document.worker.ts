import { pack, transferOf } from "~/core/packs";
import { ChunkTask } from "~/features/knowledge/chunking/chunk-task";
import { cutChunks } from "~/features/knowledge/chunking/chunker";
import { joinPieces } from "~/work/extraction/pieces";
import { serve } from "./serve";
import { readPieces } from "./stored-versions";

serve(
  ChunkTask,
  ({ database, versionId, title, chunking }) =>
    pack(cutChunks({ title, ...joinPieces(readPieces(database, versionId)) }, chunking).reverse()),
  transferOf,
);
