import { BodyTask, runBodyTask } from "~/core/form-fields";
import { serve } from "~/core/serve";

serve(BodyTask, runBodyTask);
