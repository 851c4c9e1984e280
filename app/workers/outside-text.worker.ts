import { OutsideTextTask, parseOutsideText } from "~/work/plugins/bundled/outside-text-task";
import { serve } from "./serve";

serve(OutsideTextTask, parseOutsideText);
