import { serve } from "~/core/serve";
import { OutsideTextTask, parseOutsideText } from "~/work/plugins/bundled/outside-text-task";

serve(OutsideTextTask, parseOutsideText);
