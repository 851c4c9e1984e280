import { ExtractInput } from "~/core/extraction";
import { extract } from "./extract";
import { serve } from "./serve";

serve(ExtractInput, extract);
