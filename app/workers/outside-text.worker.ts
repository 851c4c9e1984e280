import { OutsideTextTask, parseOutsideText } from "~/features/plugins/bundled/outside-text-task";
import { serve } from "./serve";

serve(OutsideTextTask, parseOutsideText);
