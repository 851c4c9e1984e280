import { ExtractInput, extract } from "./extract";
import { serve } from "./serve";

serve(ExtractInput, extract);
