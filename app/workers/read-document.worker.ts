import { transferOf } from "~/core/packs";
import { serve } from "~/core/serve";
import { runReadTask, silenceLibraries } from "~/work/extraction/read-document.thread";
import { ReadTask } from "~/work/extraction/read-task";

silenceLibraries();
serve(ReadTask, runReadTask, (output) =>
  typeof output === "object" && "pieces" in output ? transferOf(output.pieces) : [],
);
