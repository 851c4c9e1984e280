import { serve } from "~/core/serve";
import { DifferencesTask, findChanges } from "~/work/comparisons/differences-task";

serve(DifferencesTask, findChanges);
