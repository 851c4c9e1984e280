import { matchPatterns, PatternTask } from "~/ai/tools/pattern-task";
import { serve } from "~/core/serve";

serve(PatternTask, matchPatterns);
