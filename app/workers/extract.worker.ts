import { ExtractInput } from "~/ai/tools/reading/extraction.schema";
import { serve } from "~/core/serve";
import { extract } from "~/work/extraction/extract";

serve(ExtractInput, extract);
