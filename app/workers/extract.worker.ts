import { ExtractInput } from "~/ai/tools/reading/extraction.schema";
import { extract } from "./extract";
import { serve } from "./serve";

serve(ExtractInput, extract);
