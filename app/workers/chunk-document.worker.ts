import { ChunkTask } from "~/features/knowledge/chunking/chunk-task";
import { cutChunks } from "~/features/knowledge/chunking/chunker";
import { joinPieces } from "~/features/knowledge/extraction/pieces";
import { serve } from "./serve";
import { readPieces } from "./stored-versions";

serve(ChunkTask, ({ database, versionId, title, chunking }) =>
  cutChunks({ title, ...joinPieces(readPieces(database, versionId)) }, chunking),
);
